#pragma once

#include <atomic>
#include <condition_variable>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

namespace berth::kubeapi::testing {

struct Call {
  std::string method;
  std::string target;  // "/api/v1/pods?limit=500"
  std::string body;
  std::map<std::string, std::string> headers;  // names in lower case

  std::string path() const { return target.substr(0, target.find('?')); }
  // A parameter of the query as it was sent; empty without it.
  std::string parameter(const std::string& name) const;
  bool is_watch() const { return parameter("watch") == "true"; }
};

// The reply of a test to a call. Each returns false when the peer is gone. To a call for pods or
// nodes in protobuf, send() and line() write JSON in protobuf.
class Reply {
 public:
  virtual ~Reply() = default;
  virtual bool send(int status, std::string_view body, std::string_view header = {}) = 0;
  virtual bool begin_stream() = 0;  // 200, chunked
  virtual bool chunk(std::string_view bytes) = 0;
  // An event of a watch, as JSON; to a call for protobuf, as its frame.
  virtual bool line(std::string_view text) = 0;
  virtual bool end_stream() = 0;
  virtual void abort() = 0;              // resets the connection
  virtual void wait_until_closed() = 0;  // by the peer, or by the server's end
  virtual bool is_open() const = 0;
};

struct Certificate {
  std::string certificate_file;
  std::string key_file;
};

// Serves HTTP/1.1 on a free port of 127.0.0.1, with a thread for each connection. The handler
// decides about each call.
class FakeServer {
 public:
  using Handler = std::function<void(const Call&, Reply&)>;

  // Without a certificate: no TLS. `port` 0: a free one.
  explicit FakeServer(Handler handler, Certificate certificate = {}, unsigned short port = 0);
  ~FakeServer();
  FakeServer(const FakeServer&) = delete;
  FakeServer& operator=(const FakeServer&) = delete;

  unsigned short port() const { return port_; }
  std::string url(const std::string& host = "127.0.0.1") const;
  void stop();

  std::vector<Call> calls() const;
  // False if they did not come within 20 s.
  bool wait_for_calls(std::size_t count) const;
  int connections() const { return connections_; }

 private:
  struct Peer;
  class PeerReply;

  void accept();
  void serve(const std::shared_ptr<Peer>& peer);
  bool note(const Call& call);

  const Handler handler_;
  const Certificate certificate_;
  int listener_ = -1;
  unsigned short port_ = 0;
  void* tls_ = nullptr;  // SSL_CTX
  std::atomic<bool> stopping_ = false;
  std::atomic<int> connections_ = 0;
  mutable std::mutex mutex_;
  mutable std::condition_variable changed_;
  std::vector<Call> calls_;
  std::vector<std::shared_ptr<Peer>> peers_;
  std::vector<std::thread> threads_;
  std::thread acceptor_;
};

}  // namespace berth::kubeapi::testing
