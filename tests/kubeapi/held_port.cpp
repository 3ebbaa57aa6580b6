#include "kubeapi/held_port.h"

#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <csignal>

namespace berth::kubeapi::testing {

namespace {

constexpr std::chrono::seconds kPatience{60};
constexpr int kBuffer = 4096;

sockaddr_in loopback(unsigned short port) {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(port);
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  return address;
}

}  // namespace

HeldPort::HeldPort(unsigned short server) : server_(server) {
  std::signal(SIGPIPE, SIG_IGN);
  listener_ = ::socket(AF_INET, SOCK_STREAM, 0);
  ::setsockopt(listener_, SOL_SOCKET, SO_RCVBUF, &kBuffer, sizeof kBuffer);
  sockaddr_in address = loopback(0);
  socklen_t size = sizeof address;
  EXPECT_EQ(::bind(listener_, reinterpret_cast<sockaddr*>(&address), size), 0);
  EXPECT_EQ(::listen(listener_, 16), 0);
  EXPECT_EQ(::getsockname(listener_, reinterpret_cast<sockaddr*>(&address), &size), 0);
  port_ = ntohs(address.sin_port);
  acceptor_ = std::thread([this] { accept(); });
}

HeldPort::~HeldPort() {
  {
    const std::lock_guard lock(mutex_);
    is_stopping_ = true;
    changed_.notify_all();
    for (const int socket : sockets_) ::shutdown(socket, SHUT_RDWR);
  }
  ::shutdown(listener_, SHUT_RDWR);
  acceptor_.join();
  for (std::thread& thread : threads_) thread.join();
  for (const int socket : sockets_) ::close(socket);
  ::close(listener_);
}

void HeldPort::accept() {
  for (;;) {
    const int client = ::accept(listener_, nullptr, nullptr);
    if (client < 0) return;
    const std::lock_guard lock(mutex_);
    sockets_.push_back(client);
    if (is_stopping_) return;
    ++connections_;
    changed_.notify_all();
    threads_.emplace_back([this, client] { serve(client); });
  }
}

void HeldPort::serve(int client) {
  int server = -1;
  {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [this] { return is_open_ || is_stopping_; });
    if (is_stopping_) return;
    if (server_ != 0) {
      server = ::socket(AF_INET, SOCK_STREAM, 0);
      sockets_.push_back(server);
      const sockaddr_in address = loopback(server_);
      EXPECT_EQ(::connect(server, reinterpret_cast<const sockaddr*>(&address), sizeof address), 0);
    }
  }
  std::thread back;
  if (server >= 0) back = std::thread([this, server, client] { pump(server, client); });
  pump(client, server);
  if (back.joinable()) back.join();
}

void HeldPort::pump(int from, int to) {
  std::array<char, 65536> bytes;
  for (;;) {
    const ssize_t count = ::recv(from, bytes.data(), bytes.size(), 0);
    if (count <= 0) break;
    const auto size = static_cast<std::size_t>(count);
    if (to >= 0) {
      if (::send(to, bytes.data(), size, MSG_NOSIGNAL) < 0) break;
      continue;
    }
    const std::lock_guard lock(mutex_);
    received_.append(bytes.data(), size);
  }
  if (to >= 0) ::shutdown(to, SHUT_RDWR);
  const std::lock_guard lock(mutex_);
  has_ended_ = true;
  changed_.notify_all();
}

bool HeldPort::wait_for_connection() {
  std::unique_lock lock(mutex_);
  return changed_.wait_for(lock, kPatience, [this] { return connections_ > 0; });
}

void HeldPort::open() {
  const std::lock_guard lock(mutex_);
  is_open_ = true;
  changed_.notify_all();
}

std::string HeldPort::received() {
  std::unique_lock lock(mutex_);
  const bool has_ended = changed_.wait_for(lock, kPatience, [this] { return has_ended_; });
  return has_ended ? received_ : std::string();
}

}  // namespace berth::kubeapi::testing
