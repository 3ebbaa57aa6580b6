#include "kubeapi/fake_server.h"

#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <openssl/ssl.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <chrono>
#include <csignal>

#include "support/protobuf_objects.h"

namespace berth::kubeapi::testing {

namespace {

const std::string kProtobuf = "application/vnd.kubernetes.protobuf";
constexpr char kHandshake = 0x16;  // the first byte of TLS

std::string lower(std::string text) {
  for (char& c : text) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return text;
}

Call parse_head(const std::string& head) {
  Call call;
  const std::size_t end = head.find("\r\n");
  const std::size_t first = head.find(' ');
  const std::size_t second = head.find(' ', first + 1);
  call.method = head.substr(0, first);
  call.target = head.substr(first + 1, second - first - 1);
  for (std::size_t at = end + 2; at < head.size();) {
    const std::size_t stop = head.find("\r\n", at);
    const std::size_t colon = head.find(':', at);
    if (stop == std::string::npos || colon > stop) break;
    std::size_t value = colon + 1;
    while (head[value] == ' ') ++value;
    call.headers[lower(head.substr(at, colon - at))] = head.substr(value, stop - value);
    at = stop + 2;
  }
  return call;
}

}  // namespace

std::string Call::parameter(const std::string& name) const {
  std::size_t at = target.find('?');
  while (at != std::string::npos) {
    const std::size_t end = target.find('&', at + 1);
    const std::string part = target.substr(at + 1, end == std::string::npos ? end : end - at - 1);
    if (part.starts_with(name + "=")) return part.substr(name.size() + 1);
    at = end;
  }
  return {};
}

struct FakeServer::Peer {
  int socket = -1;
  SSL* tls = nullptr;
  std::atomic<bool> is_broken = false;

  ~Peer() {
    if (tls != nullptr) SSL_free(tls);
    close(socket);
  }

  bool write(std::string_view bytes) {
    while (!bytes.empty() && !is_broken) {
      const auto size = static_cast<int>(std::min<std::size_t>(bytes.size(), 1 << 20));
      const auto count =
          tls != nullptr ? SSL_write(tls, bytes.data(), size)
                         : static_cast<int>(::send(socket, bytes.data(),
                                                   static_cast<std::size_t>(size), MSG_NOSIGNAL));
      if (count <= 0) is_broken = true;
      if (count > 0) bytes.remove_prefix(static_cast<std::size_t>(count));
    }
    return !is_broken;
  }

  bool read_more(std::string& buffer) {
    char bytes[16384];
    const auto count = tls != nullptr ? SSL_read(tls, bytes, sizeof bytes)
                                      : static_cast<int>(recv(socket, bytes, sizeof bytes, 0));
    if (count <= 0) return false;
    buffer.append(bytes, static_cast<std::size_t>(count));
    return true;
  }

  bool read_call(std::string& buffer, Call& call) {
    std::size_t end = 0;
    while ((end = buffer.find("\r\n\r\n")) == std::string::npos) {
      if (!read_more(buffer)) return false;
      if (buffer[0] == kHandshake) return write("HTTP/1.1 400 Bad Request\r\n\r\n") && false;
    }
    call = parse_head(buffer.substr(0, end + 2));
    const auto length = call.headers.find("content-length");
    const std::size_t size = length == call.headers.end() ? 0 : std::stoul(length->second);
    while (buffer.size() < end + 4 + size) {
      if (!read_more(buffer)) return false;
    }
    call.body = buffer.substr(end + 4, size);
    buffer.erase(0, end + 4 + size);
    return true;
  }
};

class FakeServer::PeerReply final : public Reply {
 public:
  PeerReply(Peer& peer, const Call& call) : peer_(peer) {
    const auto accepted = call.headers.find("accept");
    if (accepted == call.headers.end() || !accepted->second.starts_with(kProtobuf)) return;
    kind_ = call.path().ends_with("/nodes") ? "Node" : "Pod";
  }

  bool send(int status, std::string_view body, std::string_view header) override {
    if (!kind_.empty() && header.empty() && body.starts_with('{')) {
      const std::string bytes = status == 200 ? support::protobuf_list(body, kind_)
                                              : support::protobuf_object(body, "Status");
      return send(status, bytes, "Content-Type: " + std::string(kProtobuf));
    }
    std::string head = "HTTP/1.1 " + std::to_string(status) + " X\r\nConnection: keep-alive";
    if (!header.starts_with("Content-Type:")) head += "\r\nContent-Type: application/json";
    head += "\r\nContent-Length: " + std::to_string(body.size()) + "\r\n";
    if (!header.empty()) head += std::string(header) + "\r\n";
    return peer_.write(head + "\r\n" + std::string(body));
  }
  bool begin_stream() override {
    return peer_.write("HTTP/1.1 200 OK\r\nContent-Type: " +
                       (kind_.empty() ? "application/json" : kProtobuf + ";stream=watch") +
                       "\r\nTransfer-Encoding: chunked\r\n\r\n");
  }
  bool line(std::string_view text) override {
    const bool is_event = !kind_.empty() && text.starts_with('{');
    return chunk(is_event ? support::protobuf_frame(text, kind_) : std::string(text) + "\n");
  }
  bool chunk(std::string_view bytes) override {
    char size[32];
    std::snprintf(size, sizeof size, "%zx\r\n", bytes.size());
    return peer_.write(size + std::string(bytes) + "\r\n");
  }
  bool end_stream() override { return peer_.write("0\r\n\r\n"); }
  void abort() override {
    const linger at_once{1, 0};
    setsockopt(peer_.socket, SOL_SOCKET, SO_LINGER, &at_once, sizeof at_once);
    peer_.is_broken = true;
  }
  void wait_until_closed() override {
    std::string rest;
    while (peer_.read_more(rest)) {
    }
    peer_.is_broken = true;
  }
  bool is_open() const override {
    pollfd polled{peer_.socket, POLLRDHUP, 0};
    return !peer_.is_broken && poll(&polled, 1, 0) == 0;
  }

 private:
  Peer& peer_;
  std::string kind_;  // of the objects, if they go out in protobuf
};

FakeServer::FakeServer(Handler handler, Certificate certificate, unsigned short port)
    : handler_(std::move(handler)), certificate_(std::move(certificate)) {
  std::signal(SIGPIPE, SIG_IGN);  // OpenSSL writes to sockets that peers have closed
  if (!certificate_.certificate_file.empty()) {
    SSL_CTX* context = SSL_CTX_new(TLS_server_method());
    EXPECT_EQ(SSL_CTX_use_certificate_chain_file(context, certificate_.certificate_file.c_str()),
              1);
    EXPECT_EQ(SSL_CTX_use_PrivateKey_file(context, certificate_.key_file.c_str(), SSL_FILETYPE_PEM),
              1);
    tls_ = context;
  }
  listener_ = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  const int yes = 1;
  setsockopt(listener_, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(port);
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  EXPECT_EQ(bind(listener_, reinterpret_cast<sockaddr*>(&address), sizeof address), 0);
  EXPECT_EQ(listen(listener_, 64), 0);
  socklen_t size = sizeof address;
  getsockname(listener_, reinterpret_cast<sockaddr*>(&address), &size);
  port_ = ntohs(address.sin_port);
  acceptor_ = std::thread([this] { accept(); });
}

FakeServer::~FakeServer() {
  stop();
  if (tls_ != nullptr) SSL_CTX_free(static_cast<SSL_CTX*>(tls_));
}

std::string FakeServer::url(const std::string& host) const {
  return (tls_ == nullptr ? "http://" : "https://") + host + ":" + std::to_string(port_);
}

void FakeServer::stop() {
  if (stopping_.exchange(true)) return;
  shutdown(listener_, SHUT_RDWR);
  acceptor_.join();
  close(listener_);
  std::vector<std::thread> threads;
  {
    const std::lock_guard lock(mutex_);
    for (const auto& peer : peers_) {
      peer->is_broken = true;
      shutdown(peer->socket, SHUT_RDWR);
    }
    threads.swap(threads_);
  }
  for (std::thread& thread : threads) thread.join();
  const std::lock_guard lock(mutex_);
  peers_.clear();
}

void FakeServer::accept() {
  while (true) {
    const int socket = accept4(listener_, nullptr, nullptr, SOCK_CLOEXEC);
    if (socket < 0) return;
    auto peer = std::make_shared<Peer>();
    peer->socket = socket;
    ++connections_;
    const std::lock_guard lock(mutex_);
    peers_.push_back(peer);
    threads_.emplace_back([this, peer] { serve(peer); });
  }
}

bool FakeServer::note(const Call& call) {
  const std::lock_guard lock(mutex_);
  calls_.push_back(call);
  changed_.notify_all();
  return !stopping_;
}

void FakeServer::serve(const std::shared_ptr<Peer>& peer) {
  bool is_ready = true;
  if (tls_ != nullptr) {
    peer->tls = SSL_new(static_cast<SSL_CTX*>(tls_));
    SSL_set_fd(peer->tls, peer->socket);
    is_ready = SSL_accept(peer->tls) == 1;
  }
  std::string buffer;
  Call call;
  while (is_ready && !peer->is_broken && peer->read_call(buffer, call) && note(call)) {
    PeerReply reply(*peer, call);
    handler_(call, reply);
  }
  {
    const std::lock_guard lock(mutex_);
    std::erase(peers_, peer);
  }
}

std::vector<Call> FakeServer::calls() const {
  const std::lock_guard lock(mutex_);
  return calls_;
}

bool FakeServer::wait_for_calls(std::size_t count) const {
  std::unique_lock lock(mutex_);
  return changed_.wait_for(lock, std::chrono::seconds(20), [&] { return calls_.size() >= count; });
}

}  // namespace berth::kubeapi::testing
