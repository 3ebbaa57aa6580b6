#pragma once

#include <condition_variable>
#include <future>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "http/http_client.h"
#include "http/http_server.h"

namespace berth::http::testing {

using namespace std::chrono_literals;

inline constexpr auto kPatience = 60s;  // the longest wait of a test

// A raw socket for input that no correct client sends.
class RawClient {
 public:
  explicit RawClient(std::uint16_t port, const char* address = "127.0.0.1");
  RawClient(RawClient&& other) noexcept : socket_(std::exchange(other.socket_, -1)) {}
  RawClient& operator=(RawClient&&) = delete;
  ~RawClient() { close(); }

  // Sends as much as the peer takes. A closed peer is no error.
  void send(std::string_view bytes);
  std::string receive_some();   // one recv(); empty at the end or after a reset
  std::string receive_reply();  // header and body by Content-Length, and all further bytes read
  std::string receive_all();    // until the peer closes
  void end_sending();
  void close();
  void reset();  // closes with RST

 private:
  int socket_;
};

// Answers requests, one connection at a time, with the given bytes in turn.
class ScriptedServer {
 public:
  struct Turn {
    std::string reply;
    bool closes = false;
  };
  explicit ScriptedServer(std::vector<Turn> turns);
  ~ScriptedServer();
  std::string url() const { return "http://127.0.0.1:" + std::to_string(port_); }
  std::vector<std::string> requests();  // so far
  bool wait_for_closed(std::size_t count);

 private:
  void serve(std::vector<Turn> turns);
  bool read_request(int connection);

  int listener_;
  std::uint16_t port_ = 0;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<std::string> requests_;
  std::size_t closed_ = 0;
  std::thread thread_;
};

// A handler that keeps its responders until the test answers them.
class Holder {
 public:
  Handler handler();
  bool wait_for(std::size_t count);
  void answer_all(const Response& response);
  std::size_t disconnected();
  bool wait_for_disconnected(std::size_t count);

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<Responder> held_;
  std::size_t disconnected_ = 0;
};

// "METHOD path?query body".
void echo(const Request& request, Responder responder);

struct RunningServer {
  explicit RunningServer(Handler handler, ServerOptions options = {});
  std::string url(const char* scheme = "http") const;
  std::unique_ptr<HttpClient> client() const;

  std::unique_ptr<HttpServer> server;
  std::uint16_t port = 0;
};

int status_of(std::string_view reply);  // 0 when it is none
std::string body_of(std::string_view reply);

}  // namespace berth::http::testing
