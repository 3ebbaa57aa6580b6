#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <list>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "proxy/exchange.h"

struct ssl_ctx_st;
struct ssl_st;

namespace berth::proxy::testing {

// Opens once; all who wait pass.
class Gate {
 public:
  void open();
  bool wait();  // false: it took too long
  bool is_open();

 private:
  std::mutex mutex_;
  std::condition_variable opened_;
  bool is_open_ = false;
};

// A request as upstream sees it.
struct Received {
  std::string method;
  std::string target;
  Headers headers;
  std::string body;
  bool has_certificate = false;  // the connection has one of its client

  std::string header(std::string_view name) const;
  std::size_t count(std::string_view name) const;
};

// The connection to answer on. Answers are written byte by byte as the test says.
class Answering {
 public:
  Answering(int socket, ssl_st* tls) : socket_(socket), tls_(tls) {}
  bool send(std::string_view bytes);  // false: the proxy has closed
  bool answer(std::string_view body, int status = 200, std::string_view headers = "");
  bool wait_until_closed();  // by the proxy
  void close();              // after this request, in good order
  void reset();              // at once, with RST
  bool is_closing() const { return is_closing_; }

 private:
  int socket_;
  ssl_st* tls_;
  bool is_closing_ = false;
};

struct UpstreamTls {
  std::string certificate_file;
  std::string key_file;
};

// An HTTP/1.1 server with a thread for each connection. With TLS it asks for a certificate and
// takes any.
class TestUpstream {
 public:
  using Handler = std::function<void(const Received& request, Answering& answering)>;
  explicit TestUpstream(Handler handler, const UpstreamTls& tls = {});
  ~TestUpstream();
  TestUpstream(const TestUpstream&) = delete;
  TestUpstream& operator=(const TestUpstream&) = delete;

  std::string url() const;
  std::size_t connections() const { return connections_; }    // so far
  std::size_t most_at_once() const { return most_at_once_; }  // connections
  std::vector<Received> requests();

 private:
  struct Peer;
  void accept_all();
  void serve(Peer& peer);

  const Handler handler_;
  ssl_ctx_st* context_ = nullptr;
  int listener_ = -1;
  std::uint16_t port_ = 0;
  std::atomic<std::size_t> connections_ = 0;
  std::atomic<std::size_t> open_ = 0;
  std::atomic<std::size_t> most_at_once_ = 0;
  std::mutex mutex_;
  std::list<std::unique_ptr<Peer>> peers_;
  std::vector<Received> requests_;
  std::thread thread_;
};

}  // namespace berth::proxy::testing
