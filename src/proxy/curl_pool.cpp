#include "proxy/curl_pool.h"

#include <curl/curl.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <utility>

#include "berth/base/check.h"

namespace berth::proxy {
namespace {

namespace asio = boost::asio;

// Bytes that upstream has not acknowledged for so long break the connection.
constexpr unsigned kSilenceMs = 45'000;

CURLM* new_multi() {
  static const bool is_ready = curl_global_init(CURL_GLOBAL_DEFAULT) == CURLE_OK;
  CURLM* const multi = is_ready ? curl_multi_init() : nullptr;
  BERTH_CHECK(multi != nullptr);
  return multi;
}

}  // namespace

// A socket that libcurl waits for. Waits that are under way keep it, so it may outlive its socket.
//
// libcurl closes a socket that is not yet connected before it reports so. Another thread may have
// the number by then. So a copy of the descriptor is watched, whose number is ours.
struct CurlPool::Watch {
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
  static CurlPool& self(void* user) { return *static_cast<CurlPool*>(user); }

  static int on_socket(CURL*, curl_socket_t socket, int what, void* user, void*) {
    self(user).watch(socket, what);
    return 0;
  }

  static int on_timer(CURLM*, long milliseconds, void* user) {
    self(user).set_timer(milliseconds);
    return 0;
  }

  static curl_socket_t open_socket(void* user, curlsocktype, curl_sockaddr* address) {
    const int made = ::socket(address->family, address->socktype | SOCK_CLOEXEC, address->protocol);
    if (made < 0) return CURL_SOCKET_BAD;
    ++self(user).state_.gauges.upstream_connects;
    self(user).replace_watch(made);
    return made;
  }

  static int tune_socket(void*, curl_socket_t socket, curlsocktype) {
    static_cast<void>(
        ::setsockopt(socket, IPPROTO_TCP, TCP_USER_TIMEOUT, &kSilenceMs, sizeof kSilenceMs));
    return CURL_SOCKOPT_OK;
  }
};

CurlPool::CurlPool(ProxyState& state, std::size_t max_connections, bool shares_connections)
    : state_(state), multi_(new_multi()), timer_(state.context) {
  const auto most = static_cast<long>(max_connections);
  curl_multi_setopt(multi_, CURLMOPT_SOCKETFUNCTION, PoolCallbacks::on_socket);
  curl_multi_setopt(multi_, CURLMOPT_SOCKETDATA, this);
  curl_multi_setopt(multi_, CURLMOPT_TIMERFUNCTION, PoolCallbacks::on_timer);
  curl_multi_setopt(multi_, CURLMOPT_TIMERDATA, this);
  curl_multi_setopt(multi_, CURLMOPT_MAX_TOTAL_CONNECTIONS, most);
  curl_multi_setopt(multi_, CURLMOPT_MAXCONNECTS, most);
  curl_multi_setopt(multi_, CURLMOPT_PIPELINING,
                    shares_connections ? CURLPIPE_MULTIPLEX : CURLPIPE_NOTHING);
}

CurlPool::~CurlPool() {
  ++*timer_round_;
  for (const auto& [socket, watched] : watches_) watched->close();
  curl_multi_setopt(multi_, CURLMOPT_SOCKETFUNCTION, nullptr);
  curl_multi_setopt(multi_, CURLMOPT_TIMERFUNCTION, nullptr);
  curl_multi_cleanup(multi_);
}

bool CurlPool::add(void* easy, CurlJob& job) {
  curl_easy_setopt(easy, CURLOPT_PRIVATE, &job);
  curl_easy_setopt(easy, CURLOPT_OPENSOCKETFUNCTION, PoolCallbacks::open_socket);
  curl_easy_setopt(easy, CURLOPT_OPENSOCKETDATA, this);
  curl_easy_setopt(easy, CURLOPT_SOCKOPTFUNCTION, PoolCallbacks::tune_socket);
  if (curl_multi_add_handle(multi_, easy) != CURLM_OK) return false;
  ++jobs_;
  return true;
}

void CurlPool::remove(void* easy) {
  curl_multi_remove_handle(multi_, easy);
  --jobs_;
}

void CurlPool::watch(int socket, int what) {
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

std::shared_ptr<CurlPool::Watch> CurlPool::make_watch(int socket) {
  auto watched = std::make_shared<Watch>(state_.context, socket);
  boost::system::error_code error;
  watched->open(error);
  // Without a descriptor the transfer ends by its deadline, or with its client.
  if (error) state_.notice("cannot watch a connection to upstream: " + error.message());
  watches_[socket] = watched;
  return watched;
}

// A new socket may have the number of one that was closed a moment ago. If libcurl waits for both
// in the same way, it does not report the change.
void CurlPool::replace_watch(int socket) {
  const auto found = watches_.find(socket);
  if (found == watches_.end()) return;
  const int wanted = found->second->wanted;
  found->second->close();
  const auto fresh = make_watch(socket);
  fresh->wanted = wanted;
  arm(fresh);
}

void CurlPool::arm(const std::shared_ptr<Watch>& watched) {
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

void CurlPool::on_ready(const std::shared_ptr<Watch>& watched, int events) {
  if (!watched->is_open) return;
  const int wanted = events == CURL_CSELECT_OUT ? CURL_POLL_OUT : CURL_POLL_IN;
  if ((watched->wanted & wanted) == 0 && events != CURL_CSELECT_ERR) return;
  act(watched->socket, events);
  arm(watched);
}

void CurlPool::set_timer(long milliseconds) {
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

void CurlPool::act(int socket, int events) {
  int running = 0;
  curl_multi_socket_action(multi_, socket, events, &running);
  int left = 0;
  while (const CURLMsg* message = curl_multi_info_read(multi_, &left)) {
    if (message->msg != CURLMSG_DONE) continue;
    CURL* const easy = message->easy_handle;
    const CURLcode code = message->data.result;
    CurlJob* job = nullptr;
    curl_easy_getinfo(easy, CURLINFO_PRIVATE, &job);
    remove(easy);  // `message` ends here
    job->on_done(code);
  }
}

}  // namespace berth::proxy
