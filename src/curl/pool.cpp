#include "curl/pool.h"

#include <fcntl.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <utility>

namespace berth::curl {

namespace {

namespace asio = boost::asio;

int local_port_of(int socket) {
  sockaddr_storage address = {};
  socklen_t size = sizeof address;
  if (getsockname(socket, reinterpret_cast<sockaddr*>(&address), &size) != 0) return 0;
  const bool is_v6 = address.ss_family == AF_INET6;
  if (!is_v6 && address.ss_family != AF_INET) return 0;
  return ntohs(is_v6 ? reinterpret_cast<sockaddr_in6*>(&address)->sin6_port
                     : reinterpret_cast<sockaddr_in*>(&address)->sin_port);
}

}  // namespace

// A socket that libcurl waits for. Waits that are under way keep it, so it may outlive its socket.
//
// libcurl closes a socket that is not yet connected before it reports so. Another thread may have
// the number by then. So a copy of the descriptor is watched, whose number is ours.
struct Pool::Watch {
  Watch(asio::io_context& context, int socket_in) : descriptor(context), socket(socket_in) {}
  ~Watch() { close(); }

  void open(boost::system::error_code& error) {
    const int copy = ::fcntl(socket, F_DUPFD_CLOEXEC, 0);
    if (copy < 0) {
      error.assign(errno, boost::system::system_category());
      return;
    }
    descriptor.assign(copy, error);
    is_open = !error;
    if (error) ::close(copy);
  }

  // Cancels the waits. A descriptor with copies must be taken from epoll explicitly: by release().
  void close() {
    if (std::exchange(is_open, false)) ::close(descriptor.release());
  }

  asio::posix::stream_descriptor descriptor;
  const int socket;  // libcurl's
  int wanted = 0;    // CURL_POLL_...
  bool is_open = false;
  bool is_reading = false;
  bool is_writing = false;
};

// libcurl's callbacks.
struct PoolCallbacks {
  static Pool& self(void* user) { return *static_cast<Pool*>(user); }

  static int on_socket(CURL*, curl_socket_t socket, int what, void* user, void*) {
    self(user).watch(socket, what);
    return 0;
  }

  static int on_timer(CURLM*, long milliseconds, void* user) {
    self(user).set_timer(milliseconds);
    return 0;
  }

  static curl_socket_t open_socket(void* user, curlsocktype, curl_sockaddr* address) {
    return self(user).open(*address);
  }

  static int close_socket(void* user, curl_socket_t socket) { return self(user).close(socket); }
};

Pool::Pool(asio::io_context& context, PoolOptions options)
    : context_(context), options_(std::move(options)), multi_(new_multi()), timer_(context) {
  curl_multi_setopt(multi_, CURLMOPT_SOCKETFUNCTION, PoolCallbacks::on_socket);
  curl_multi_setopt(multi_, CURLMOPT_SOCKETDATA, this);
  curl_multi_setopt(multi_, CURLMOPT_TIMERFUNCTION, PoolCallbacks::on_timer);
  curl_multi_setopt(multi_, CURLMOPT_TIMERDATA, this);
  curl_multi_setopt(multi_, CURLMOPT_MAXCONNECTS, static_cast<long>(options_.most_kept));
  curl_multi_setopt(
      multi_, CURLMOPT_PIPELINING,
      options_.connections == Connections::shared ? CURLPIPE_MULTIPLEX : CURLPIPE_NOTHING);
  limit_connections(options_.most_connections);
}

Pool::~Pool() {
  ++*timer_round_;
  for (const auto& [socket, watched] : watches_) watched->close();
  curl_multi_setopt(multi_, CURLMOPT_SOCKETFUNCTION, nullptr);
  curl_multi_setopt(multi_, CURLMOPT_TIMERFUNCTION, nullptr);
  curl_multi_cleanup(multi_);
}

bool Pool::add(Transfer& transfer) {
  CURL* const easy = transfer.easy();
  curl_easy_setopt(easy, CURLOPT_OPENSOCKETFUNCTION, PoolCallbacks::open_socket);
  curl_easy_setopt(easy, CURLOPT_OPENSOCKETDATA, this);
  curl_easy_setopt(easy, CURLOPT_CLOSESOCKETFUNCTION, PoolCallbacks::close_socket);
  curl_easy_setopt(easy, CURLOPT_CLOSESOCKETDATA, this);
  if (curl_multi_add_handle(multi_, easy) != CURLM_OK) return false;
  ++transfers_;
  return true;
}

void Pool::remove(Transfer& transfer) {
  curl_multi_remove_handle(multi_, transfer.easy());
  --transfers_;
}

void Pool::limit_connections(std::size_t most) {
  if (std::exchange(most_connections_, most) == most) return;
  curl_multi_setopt(multi_, CURLMOPT_MAX_TOTAL_CONNECTIONS, static_cast<long>(most));
}

void Pool::note_answer(const Transfer& transfer) {
  answered_[transfer.local_port()] = std::chrono::steady_clock::now();
}

void Pool::break_if_silent(const Transfer& transfer, Time since) {
  const int local_port = transfer.local_port();
  const auto answered = answered_.find(local_port);
  if (local_port == 0 || (answered != answered_.end() && answered->second >= since)) return;
  for (const int socket : sockets_) {
    if (local_port_of(socket) == local_port) ::shutdown(socket, SHUT_RDWR);
  }
}

curl_socket_t Pool::open(const curl_sockaddr& address) {
  const curl_socket_t made = open_socket(address);
  if (made == CURL_SOCKET_BAD) return made;
  if (options_.on_connect) options_.on_connect();
  sockets_.insert(made);
  replace_watch(made);
  return made;
}

int Pool::close(int socket) {
  answered_.erase(local_port_of(socket));
  sockets_.erase(socket);
  return ::close(socket);
}

void Pool::watch(int socket, int what) {
  const auto found = watches_.find(socket);
  if (what == CURL_POLL_REMOVE) {
    if (found == watches_.end()) return;
    found->second->close();
    watches_.erase(found);
    return;
  }
  const auto watched = found != watches_.end() ? found->second : make_watch(socket);
  watched->wanted = what;
  arm(watched);
}

std::shared_ptr<Pool::Watch> Pool::make_watch(int socket) {
  auto watched = std::make_shared<Watch>(context_, socket);
  boost::system::error_code error;
  watched->open(error);
  // Without a descriptor the transfer ends by its deadline, or with its client.
  if (error && options_.on_notice) {
    options_.on_notice("cannot watch a connection: " + error.message());
  }
  watches_[socket] = watched;
  return watched;
}

// A new socket may have the number of one that was closed a moment ago. If libcurl waits for both
// in the same way, it does not report the change.
void Pool::replace_watch(int socket) {
  const auto found = watches_.find(socket);
  if (found == watches_.end()) return;
  const int wanted = found->second->wanted;
  found->second->close();
  const auto fresh = make_watch(socket);
  fresh->wanted = wanted;
  arm(fresh);
}

void Pool::arm(const std::shared_ptr<Watch>& watched) {
  using Descriptor = asio::posix::stream_descriptor;
  if (!watched->is_open) return;
  if ((watched->wanted & CURL_POLL_IN) != 0 && !watched->is_reading) {
    watched->is_reading = true;
    watched->descriptor.async_wait(Descriptor::wait_read,
                                   [this, watched](const boost::system::error_code& error) {
                                     watched->is_reading = false;
                                     on_ready(watched, error ? CURL_CSELECT_ERR : CURL_CSELECT_IN);
                                   });
  }
  if ((watched->wanted & CURL_POLL_OUT) != 0 && !watched->is_writing) {
    watched->is_writing = true;
    watched->descriptor.async_wait(Descriptor::wait_write,
                                   [this, watched](const boost::system::error_code& error) {
                                     watched->is_writing = false;
                                     on_ready(watched, error ? CURL_CSELECT_ERR : CURL_CSELECT_OUT);
                                   });
  }
}

void Pool::on_ready(const std::shared_ptr<Watch>& watched, int events) {
  if (!watched->is_open) return;
  const int wanted = events == CURL_CSELECT_OUT ? CURL_POLL_OUT : CURL_POLL_IN;
  if ((watched->wanted & wanted) == 0 && events != CURL_CSELECT_ERR) return;
  act(watched->socket, events);
  arm(watched);
}

void Pool::set_timer(long milliseconds) {
  const std::uint64_t round = ++*timer_round_;
  if (milliseconds < 0) {
    timer_.cancel();
    return;
  }
  timer_.expires_after(std::chrono::milliseconds(milliseconds));
  // A wait that has just ended is not cancelled: its handler may come after the pool is gone.
  timer_.async_wait([this, round, now = timer_round_](const boost::system::error_code& error) {
    if (!error && round == *now) act(CURL_SOCKET_TIMEOUT, 0);
  });
}

void Pool::act(int socket, int events) {
  if (options_.before_step) options_.before_step();
  int running = 0;
  curl_multi_socket_action(multi_, socket, events, &running);
  int left = 0;
  while (const CURLMsg* message = curl_multi_info_read(multi_, &left)) {
    if (message->msg != CURLMSG_DONE) continue;
    const CURLcode code = message->data.result;
    Transfer* transfer = nullptr;
    curl_easy_getinfo(message->easy_handle, CURLINFO_PRIVATE, &transfer);
    remove(*transfer);  // `message` ends here
    transfer->on_done(code);
  }
}

}  // namespace berth::curl
