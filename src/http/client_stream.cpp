#include "http/client_stream.h"

#include <netdb.h>
#include <netinet/tcp.h>
#include <openssl/err.h>
#include <openssl/ssl.h>
#include <openssl/x509v3.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "http/client_tls.h"

namespace berth::http {
namespace {

struct Address {
  std::string host, port;
  bool is_tls = false;
};

Result<Address> parse_url(const std::string& url) {
  const Error malformed{"expected \"http://host:port\" or \"https://host:port\"", url};
  Address address;
  std::string_view rest = url;
  const auto skip = [&rest](std::string_view prefix) {
    if (rest.substr(0, prefix.size()) != prefix) return false;
    rest.remove_prefix(prefix.size());
    return true;
  };
  address.is_tls = skip("https://");
  if (!address.is_tls && !skip("http://")) return malformed;
  if (!rest.empty() && rest.back() == '/') rest.remove_suffix(1);
  if (rest.find('/') != std::string_view::npos) return malformed;
  address.port = address.is_tls ? "443" : "80";
  const std::size_t bracket = rest.find(']');
  const std::size_t colon = rest.find(':', bracket == std::string_view::npos ? 0 : bracket);
  if (colon != std::string_view::npos) address.port = rest.substr(colon + 1);
  rest = rest.substr(0, colon);
  if (bracket != std::string_view::npos) {
    if (rest.front() != '[' || rest.back() != ']') return malformed;
    rest = rest.substr(1, rest.size() - 2);
  }
  address.host = rest;
  if (address.host.empty() || address.port.empty()) return malformed;
  return address;
}

}  // namespace

Result<std::unique_ptr<ClientTarget>> ClientTarget::create(const ClientOptions& options) {
  auto address = parse_url(options.url);
  if (!address) return address.error();
  std::unique_ptr<ClientTarget> target(new ClientTarget);
  target->url_ = options.url;
  target->host_ = address->host;
  target->port_ = address->port;
  const bool is_v6 = address->host.find(':') != std::string::npos;
  target->authority_ = (is_v6 ? "[" + address->host + "]" : address->host) + ":" + address->port;
  target->abort_event_ = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
  if (target->abort_event_ < 0) return Error{std::strerror(errno), options.url};
  if (!address->is_tls) return target;
  if (!options.tls) return Error{"https needs an authority to trust", options.url};
  target->server_name_ =
      options.tls->server_name.empty() ? address->host : options.tls->server_name;
  auto context = make_client_context(*options.tls);
  if (!context) return context.error();
  target->tls_ = *context;
  return target;
}

ClientTarget::~ClientTarget() {
  SSL_CTX_free(tls_);
  if (abort_event_ >= 0) close(abort_event_);
}

void ClientTarget::abort() {
  const std::uint64_t one = 1;
  static_cast<void>(!::write(abort_event_, &one, sizeof one));
}

Result<std::unique_ptr<ClientStream>> ClientStream::connect(const ClientTarget& target,
                                                            Deadline deadline) {
  addrinfo hints = {};
  hints.ai_socktype = SOCK_STREAM;
  addrinfo* found = nullptr;
  const int code = getaddrinfo(target.host_.c_str(), target.port_.c_str(), &hints, &found);
  if (code != 0) return Error{std::string("cannot resolve: ") + gai_strerror(code), target.url_};
  const std::unique_ptr<addrinfo, decltype(&freeaddrinfo)> addresses(found, freeaddrinfo);
  Error last{"no address", target.url_};
  for (const addrinfo* at = found; at != nullptr; at = at->ai_next) {
    const int type = at->ai_socktype | SOCK_NONBLOCK | SOCK_CLOEXEC;
    const int socket = ::socket(at->ai_family, type, at->ai_protocol);
    if (socket < 0) return Error{std::strerror(errno), target.url_};
    std::unique_ptr<ClientStream> stream(new ClientStream(target, socket));
    const int on = 1;
    setsockopt(socket, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    setsockopt(socket, SOL_SOCKET, SO_KEEPALIVE, &on, sizeof on);
    if (::connect(socket, at->ai_addr, at->ai_addrlen) != 0 && errno != EINPROGRESS) {
      last = stream->failure("cannot connect");
      continue;
    }
    if (Status connected = stream->await_connected(deadline); !connected) {
      last = connected.error();
      continue;
    }
    if (target.tls_ != nullptr) {
      if (Status secured = stream->handshake(deadline); !secured) return secured.error();
    }
    return stream;
  }
  return last;
}

ClientStream::~ClientStream() {
  if (tls_ != nullptr) {
    if (SSL_is_init_finished(tls_)) SSL_shutdown(tls_);  // closes the TLS session without waiting
    ERR_clear_error();
    SSL_free(tls_);
  }
  close(socket_);
}

Status ClientStream::await_connected(Deadline deadline) {
  if (Status ready = wait(POLLOUT, deadline); !ready) return ready;
  int error = 0;
  socklen_t size = sizeof error;
  getsockopt(socket_, SOL_SOCKET, SO_ERROR, &error, &size);
  errno = error;
  if (error != 0) return failure("cannot connect");
  return Done{};
}

Status ClientStream::handshake(Deadline deadline) {
  tls_ = make_client_session(target_.tls_, socket_, target_.server_name_);
  if (tls_ == nullptr) return Error{"cannot make a TLS session", target_.url_};
  for (;;) {
    ERR_clear_error();
    const int result = SSL_connect(tls_);
    if (result == 1) return Done{};
    const int reason = SSL_get_error(tls_, result);
    if (reason != SSL_ERROR_WANT_READ && reason != SSL_ERROR_WANT_WRITE) {
      return Error{"TLS handshake failed: " + tls_failure(tls_), target_.url_};
    }
    const short events = reason == SSL_ERROR_WANT_READ ? POLLIN : POLLOUT;
    if (Status ready = wait(events, deadline); !ready) return ready;
  }
}

Status ClientStream::write(std::string_view bytes, Deadline deadline, std::size_t& written) {
  while (written < bytes.size()) {
    const std::string_view rest = bytes.substr(written);
    short events = POLLOUT;
    if (tls_ != nullptr) {
      ERR_clear_error();
      std::size_t count = 0;
      const int result = SSL_write_ex(tls_, rest.data(), rest.size(), &count);
      written += count;
      if (result == 1) continue;
      const int reason = SSL_get_error(tls_, result);
      if (reason == SSL_ERROR_WANT_READ) events = POLLIN;
      if (reason != SSL_ERROR_WANT_READ && reason != SSL_ERROR_WANT_WRITE) {
        return Error{"cannot write: " + tls_failure(tls_), target_.url_};
      }
    } else {
      const ssize_t count = send(socket_, rest.data(), rest.size(), MSG_NOSIGNAL);
      if (count >= 0) {
        written += static_cast<std::size_t>(count);
        continue;
      }
      if (errno == EINTR) continue;
      if (errno != EAGAIN) return failure("cannot write");
    }
    if (Status ready = wait(events, deadline); !ready) return ready;
  }
  return Done{};
}

Result<std::size_t> ClientStream::read(char* into, std::size_t room, Deadline deadline) {
  for (;;) {
    short events = POLLIN;
    if (tls_ != nullptr) {
      ERR_clear_error();
      std::size_t count = 0;
      const int result = SSL_read_ex(tls_, into, room, &count);
      if (result == 1) return count;
      const int reason = SSL_get_error(tls_, result);
      if (reason == SSL_ERROR_ZERO_RETURN) return std::size_t{0};
      if (reason == SSL_ERROR_WANT_WRITE) events = POLLOUT;
      if (reason != SSL_ERROR_WANT_READ && reason != SSL_ERROR_WANT_WRITE) {
        return Error{"cannot read: " + tls_failure(tls_), target_.url_};
      }
    } else {
      const ssize_t count = recv(socket_, into, room, 0);
      if (count >= 0) return static_cast<std::size_t>(count);
      if (errno == EINTR) continue;
      if (errno != EAGAIN) return failure("cannot read");
    }
    if (Status ready = wait(events, deadline); !ready) return ready.error();
  }
}

bool ClientStream::is_usable() {
  char byte = 0;
  if (tls_ == nullptr) {
    return recv(socket_, &byte, 1, MSG_PEEK) < 0 && errno == EAGAIN;
  }
  // Unread bytes may be only a session ticket, so TLS itself must say whether data has come.
  ERR_clear_error();
  const int result = SSL_peek(tls_, &byte, 1);
  return result <= 0 && SSL_get_error(tls_, result) == SSL_ERROR_WANT_READ;
}

Status ClientStream::wait(short events, Deadline deadline) {
  for (;;) {
    const auto left =
        std::chrono::ceil<std::chrono::milliseconds>(deadline - std::chrono::steady_clock::now());
    if (left.count() <= 0) return Error{"timed out", target_.url_};
    pollfd watched[] = {{socket_, events, 0}, {target_.abort_event_, POLLIN, 0}};
    const auto limit = std::min<std::int64_t>(left.count(), 1'000'000);
    if (poll(watched, 2, static_cast<int>(limit)) < 0 && errno != EINTR) {
      return failure("cannot wait");
    }
    if (watched[1].revents != 0) return Error{"aborted", target_.url_};
    if (watched[0].revents != 0) return Done{};
  }
}

Error ClientStream::failure(std::string_view what) const {
  return {std::string(what) + ": " + std::strerror(errno), target_.url_};
}

}  // namespace berth::http
