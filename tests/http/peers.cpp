#include "http/peers.h"

#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <charconv>

namespace berth::http::testing {
namespace {

std::size_t announced_length(std::string_view head) {
  static constexpr std::string_view kName = "Content-Length:";
  const std::size_t at = head.find(kName);
  std::size_t length = 0;
  if (at == std::string_view::npos) return length;
  const std::size_t digits = head.find_first_not_of(' ', at + kName.size());  // or no blank
  std::from_chars(head.data() + digits, head.data() + head.size(), length);
  return length;
}

bool is_whole(std::string_view message) {
  const std::size_t end = message.find("\r\n\r\n");
  return end != std::string_view::npos &&
         message.size() >= end + 4 + announced_length(message.substr(0, end + 2));
}

std::string receive_from(int socket) {
  pollfd watched = {socket, POLLIN, 0};
  const auto limit = std::chrono::duration_cast<std::chrono::milliseconds>(kPatience).count();
  if (poll(&watched, 1, static_cast<int>(limit)) != 1) {
    ADD_FAILURE() << "the peer neither sent nor closed";
    return "";
  }
  std::string bytes(256 << 10, '\0');
  const ssize_t count = recv(socket, bytes.data(), bytes.size(), 0);
  bytes.resize(count > 0 ? static_cast<std::size_t>(count) : 0);
  return bytes;
}

}  // namespace

RawClient::RawClient(std::uint16_t port, const char* address) {
  const bool is_v6 = std::string_view(address).find(':') != std::string_view::npos;
  socket_ = socket(is_v6 ? AF_INET6 : AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in v4 = {};
  v4.sin_family = AF_INET;
  v4.sin_port = htons(port);
  sockaddr_in6 v6 = {};
  v6.sin6_family = AF_INET6;
  v6.sin6_port = htons(port);
  if (is_v6) {
    inet_pton(AF_INET6, address, &v6.sin6_addr);
    EXPECT_EQ(connect(socket_, reinterpret_cast<sockaddr*>(&v6), sizeof v6), 0);
  } else {
    inet_pton(AF_INET, address, &v4.sin_addr);
    EXPECT_EQ(connect(socket_, reinterpret_cast<sockaddr*>(&v4), sizeof v4), 0);
  }
}

void RawClient::send(std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t count = ::send(socket_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (count < 0) return;
    bytes.remove_prefix(static_cast<std::size_t>(count));
  }
}

std::string RawClient::receive_some() { return receive_from(socket_); }

std::string RawClient::receive_reply() {
  std::string reply;
  while (!is_whole(reply)) {
    const std::string more = receive_some();
    if (more.empty()) break;
    reply += more;
  }
  return reply;
}

std::string RawClient::receive_all() {
  std::string all;
  for (;;) {
    const std::string more = receive_some();
    if (more.empty()) return all;
    all += more;
  }
}

void RawClient::end_sending() { shutdown(socket_, SHUT_WR); }

void RawClient::close() {
  if (socket_ >= 0) ::close(std::exchange(socket_, -1));
}

void RawClient::reset() {
  const linger at_once = {1, 0};
  setsockopt(socket_, SOL_SOCKET, SO_LINGER, &at_once, sizeof at_once);
  close();
}

ScriptedServer::ScriptedServer(std::vector<Turn> turns) {
  listener_ = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in address = {};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  EXPECT_EQ(bind(listener_, reinterpret_cast<sockaddr*>(&address), sizeof address), 0);
  EXPECT_EQ(listen(listener_, 16), 0);
  socklen_t size = sizeof address;
  getsockname(listener_, reinterpret_cast<sockaddr*>(&address), &size);
  port_ = ntohs(address.sin_port);
  thread_ = std::thread([this, turns = std::move(turns)]() mutable { serve(std::move(turns)); });
}

ScriptedServer::~ScriptedServer() {
  shutdown(listener_, SHUT_RDWR);
  thread_.join();
  close(listener_);
}

std::vector<std::string> ScriptedServer::requests() {
  const std::lock_guard lock(mutex_);
  return requests_;
}

bool ScriptedServer::wait_for_closed(std::size_t count) {
  std::unique_lock lock(mutex_);
  return changed_.wait_for(lock, kPatience, [&] { return closed_ >= count; });
}

bool ScriptedServer::read_request(int connection) {
  std::string request;
  while (!is_whole(request)) {
    const std::string more = receive_from(connection);
    if (more.empty()) return false;
    request += more;
  }
  const std::lock_guard lock(mutex_);
  requests_.push_back(std::move(request));
  return true;
}

void ScriptedServer::serve(std::vector<Turn> turns) {
  int connection = -1;
  for (const Turn& turn : turns) {
    for (;;) {
      if (connection < 0) connection = accept(listener_, nullptr, nullptr);
      if (connection < 0) return;
      if (read_request(connection)) break;
      close(std::exchange(connection, -1));  // the client did not reuse it
    }
    ::send(connection, turn.reply.data(), turn.reply.size(), MSG_NOSIGNAL);
    if (!turn.closes) continue;
    close(std::exchange(connection, -1));
    const std::lock_guard lock(mutex_);
    ++closed_;
    changed_.notify_all();
  }
  if (connection < 0) return;
  receive_from(connection);
  close(connection);
}

Handler Holder::handler() {
  return [this](const Request&, Responder responder) {
    responder.on_disconnect([this] {
      const std::lock_guard lock(mutex_);
      ++disconnected_;
      changed_.notify_all();
    });
    const std::lock_guard lock(mutex_);
    held_.push_back(std::move(responder));
    changed_.notify_all();
  };
}

bool Holder::wait_for(std::size_t count) {
  std::unique_lock lock(mutex_);
  return changed_.wait_for(lock, kPatience, [&] { return held_.size() >= count; });
}

void Holder::answer_all(const Response& response) {
  std::vector<Responder> held;
  {
    const std::lock_guard lock(mutex_);
    held.swap(held_);
  }
  for (Responder& responder : held) responder.answer(response);
}

std::size_t Holder::disconnected() {
  const std::lock_guard lock(mutex_);
  return disconnected_;
}

bool Holder::wait_for_disconnected(std::size_t count) {
  std::unique_lock lock(mutex_);
  return changed_.wait_for(lock, kPatience, [&] { return disconnected_ >= count; });
}

void echo(const Request& request, Responder responder) {
  std::string text = request.method + " " + request.path;
  if (!request.query.empty()) text += "?" + request.query;
  responder.answer(text_response(200, text + " " + request.body));
}

RunningServer::RunningServer(Handler handler, ServerOptions options)
    : server(make_http_server(std::move(options), std::move(handler))) {
  const Status started = server->start();
  EXPECT_TRUE(started) << (started ? "" : started.error().to_string());
  port = server->port();
}

std::string RunningServer::url(const char* scheme) const {
  return std::string(scheme) + "://127.0.0.1:" + std::to_string(port);
}

std::unique_ptr<HttpClient> RunningServer::client() const {
  ClientOptions options{.url = url()};
  options.timeout = kPatience;
  return std::move(HttpClient::create(std::move(options))).value();
}

int status_of(std::string_view reply) {
  int status = 0;
  if (reply.substr(0, 9) == "HTTP/1.1 ") {
    std::from_chars(reply.data() + 9, reply.data() + reply.size(), status);
  }
  return status;
}

std::string body_of(std::string_view reply) {
  const std::size_t end = reply.find("\r\n\r\n");
  return end == std::string_view::npos ? "" : std::string(reply.substr(end + 4));
}

}  // namespace berth::http::testing
