#include "proxy/upstream.h"

#include <gtest/gtest.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <openssl/ssl.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <optional>
#include <utility>

#include "berth/base/number.h"
#include "curl/headers.h"
#include "proxy/h2_client.h"
#include "proxy/headers.h"

namespace berth::proxy::testing {
namespace {

ssize_t receive_from(int socket, ssl_st* tls, char* into, std::size_t room) {
  if (tls != nullptr) return SSL_read(tls, into, static_cast<int>(room));
  return ::recv(socket, into, room, 0);
}

// Reads requests from one connection.
class Reader {
 public:
  Reader(int socket, ssl_st* tls) : socket_(socket), tls_(tls) {}

  std::optional<Received> next() {
    const auto head = take_through("\r\n\r\n");
    if (!head) return std::nullopt;
    Received request;
    const std::string_view text = *head;
    const std::string_view line = text.substr(0, text.find("\r\n"));
    request.method = line.substr(0, line.find(' '));
    request.target = line.substr(line.find(' ') + 1, line.rfind(' ') - line.find(' ') - 1);
    for (std::size_t at = line.size() + 2; at < text.size();) {
      const std::size_t end = text.find("\r\n", at);
      if (auto header = curl::parse_header_line(text.substr(at, end - at))) {
        request.headers.push_back({std::move(header->name), std::move(header->value)});
      }
      at = end + 2;
    }
    if (!read_body(request)) return std::nullopt;
    return request;
  }

 private:
  bool more() {
    char bytes[64 << 10];
    const ssize_t size = receive_from(socket_, tls_, bytes, sizeof bytes);
    if (size <= 0) return false;
    buffer_.append(bytes, static_cast<std::size_t>(size));
    return true;
  }

  std::optional<std::string> take(std::size_t size) {
    while (buffer_.size() < size) {
      if (!more()) return std::nullopt;
    }
    std::string taken = buffer_.substr(0, size);
    buffer_.erase(0, size);
    return taken;
  }

  std::optional<std::string> take_through(std::string_view mark) {
    std::size_t at = 0;
    while ((at = buffer_.find(mark)) == std::string::npos) {
      if (!more()) return std::nullopt;
    }
    return take(at + mark.size());
  }

  bool read_body(Received& request) {
    if (request.header("transfer-encoding") == "chunked") {
      for (;;) {
        const auto line = take_through("\r\n");
        if (!line) return false;
        std::size_t size = 0;
        std::from_chars(line->data(), line->data() + line->size(), size, 16);
        const auto chunk = take(size + 2);
        if (!chunk) return false;
        if (size == 0) return true;
        request.body += chunk->substr(0, size);
      }
    }
    const auto body = take(parse_number<std::size_t>(request.header("content-length")).value_or(0));
    if (body) request.body = *body;
    return body.has_value();
  }

  int socket_;
  ssl_st* tls_;
  std::string buffer_;
};

}  // namespace

void Gate::open() {
  const std::lock_guard lock(mutex_);
  is_open_ = true;
  opened_.notify_all();
}

bool Gate::wait() {
  std::unique_lock lock(mutex_);
  return opened_.wait_for(lock, kPatience, [this] { return is_open_; });
}

bool Gate::is_open() {
  const std::lock_guard lock(mutex_);
  return is_open_;
}

std::string Received::header(std::string_view name) const {
  return std::string(value_of(headers, name));
}

std::size_t Received::count(std::string_view name) const {
  return static_cast<std::size_t>(std::count_if(
      headers.begin(), headers.end(), [&](const Header& header) { return header.name == name; }));
}

bool Answering::send(std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t size = tls_ != nullptr
                             ? SSL_write(tls_, bytes.data(), static_cast<int>(bytes.size()))
                             : ::send(socket_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (size <= 0) return false;
    bytes.remove_prefix(static_cast<std::size_t>(size));
  }
  return true;
}

bool Answering::answer(std::string_view body, int status, std::string_view headers) {
  return send("HTTP/1.1 " + std::to_string(status) +
              " X\r\nContent-Length: " + std::to_string(body.size()) + "\r\n" +
              std::string(headers) + "\r\n" + std::string(body));
}

bool Answering::wait_until_closed() {
  is_closing_ = true;
  char byte = 0;
  return receive_from(socket_, tls_, &byte, 1) <= 0;
}

void Answering::close() { is_closing_ = true; }

void Answering::reset() {
  const linger at_once = {1, 0};
  setsockopt(socket_, SOL_SOCKET, SO_LINGER, &at_once, sizeof at_once);
  is_closing_ = true;
}

struct TestUpstream::Peer {
  int socket = -1;
  std::thread thread;
};

TestUpstream::TestUpstream(Handler handler, const UpstreamTls& tls) : handler_(std::move(handler)) {
  if (!tls.certificate_file.empty()) {
    context_ = SSL_CTX_new(TLS_server_method());
    SSL_CTX_use_certificate_file(context_, tls.certificate_file.c_str(), SSL_FILETYPE_PEM);
    SSL_CTX_use_PrivateKey_file(context_, tls.key_file.c_str(), SSL_FILETYPE_PEM);
    SSL_CTX_set_verify(context_, SSL_VERIFY_PEER, [](int, X509_STORE_CTX*) { return 1; });
  }
  listener_ = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in address = {};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  EXPECT_EQ(bind(listener_, reinterpret_cast<sockaddr*>(&address), sizeof address), 0);
  EXPECT_EQ(listen(listener_, 128), 0);
  socklen_t size = sizeof address;
  getsockname(listener_, reinterpret_cast<sockaddr*>(&address), &size);
  port_ = ntohs(address.sin_port);
  thread_ = std::thread([this] { accept_all(); });
}

TestUpstream::~TestUpstream() {
  shutdown(listener_, SHUT_RDWR);
  thread_.join();
  close(listener_);
  {
    const std::lock_guard lock(mutex_);
    for (const auto& peer : peers_) {
      if (peer->socket >= 0) shutdown(peer->socket, SHUT_RDWR);
    }
  }
  for (const auto& peer : peers_) peer->thread.join();
  SSL_CTX_free(context_);
}

std::string TestUpstream::url() const {
  return (context_ != nullptr ? "https" : "http") + std::string("://127.0.0.1:") +
         std::to_string(port_);
}

std::vector<Received> TestUpstream::requests() {
  const std::lock_guard lock(mutex_);
  return requests_;
}

void TestUpstream::accept_all() {
  for (;;) {
    const int socket = accept4(listener_, nullptr, nullptr, SOCK_CLOEXEC);
    if (socket < 0) return;
    const int at_once = 1;
    setsockopt(socket, IPPROTO_TCP, TCP_NODELAY, &at_once, sizeof at_once);
    ++connections_;
    const std::lock_guard lock(mutex_);
    most_at_once_ = std::max(most_at_once_.load(), ++open_);
    Peer& peer = *peers_.emplace_back(std::make_unique<Peer>());
    peer.socket = socket;
    peer.thread = std::thread([this, &peer] { serve(peer); });
  }
}

void TestUpstream::serve(Peer& peer) {
  const int socket = peer.socket;
  ssl_st* tls = nullptr;
  if (context_ != nullptr) {
    tls = SSL_new(context_);
    SSL_set_fd(tls, socket);
  }
  if (tls == nullptr || SSL_accept(tls) == 1) {
    Reader reader(socket, tls);
    Answering answering(socket, tls);
    while (!answering.is_closing()) {
      auto request = reader.next();
      if (!request) break;
      request->has_certificate = tls != nullptr && SSL_get0_peer_certificate(tls) != nullptr;
      {
        const std::lock_guard lock(mutex_);
        requests_.push_back(*request);
      }
      handler_(*request, answering);
    }
  }
  SSL_free(tls);
  const std::lock_guard lock(mutex_);
  peer.socket = -1;
  --open_;
  close(socket);
}

}  // namespace berth::proxy::testing
