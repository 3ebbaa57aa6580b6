#include "kubeapi/curl_sockets.h"

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <unistd.h>

namespace berth::kubeapi {

namespace {

// Bytes that the server has not acknowledged for so long break the connection.
constexpr unsigned kSilenceMs = 45'000;

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

int CurlSockets::open(int family, int type, int protocol) {
  const int made = ::socket(family, type | SOCK_CLOEXEC, protocol);
  if (made < 0) return made;
  static_cast<void>(
      ::setsockopt(made, IPPROTO_TCP, TCP_USER_TIMEOUT, &kSilenceMs, sizeof kSilenceMs));
  sockets_.insert(made);
  return made;
}

int CurlSockets::close(int socket) {
  answered_.erase(local_port_of(socket));
  sockets_.erase(socket);
  return ::close(socket);
}

void CurlSockets::note_answer(int local_port, Time now) { answered_[local_port] = now; }

void CurlSockets::break_if_silent(int local_port, Time since) {
  const auto answered = answered_.find(local_port);
  if (local_port == 0 || (answered != answered_.end() && answered->second >= since)) return;
  for (const int socket : sockets_) {
    if (local_port_of(socket) == local_port) ::shutdown(socket, SHUT_RDWR);
  }
}

}  // namespace berth::kubeapi
