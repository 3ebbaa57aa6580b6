#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace berth::http {

struct Request {
  std::string method = {};         // as sent: "GET", "POST"
  std::string path = {};           // "/plan/filter": without the query, not percent-decoded
  std::string query = {};          // the text after the first '?', or empty
  std::string body = {};           // whole; its capacity exceeds its size by at least kBodyPadding
  std::string authorization = {};  // the header, as sent; empty: none
  // The subject's common name in the peer's verified certificate; none without one.
  std::optional<std::string> peer_name = {};
  // The headers of these names, as sent; empty without them.
  std::string host = {};
  std::string if_none_match = {};
  std::string accept_encoding = {};
  // It came to a loopback address: from a process in the same network namespace. `kubectl
  // port-forward` asks so.
  bool is_local = false;
  bool is_encrypted = false;  // it came over TLS
};

// Room after a request's body, so that a parser that reads ahead need not copy it.
inline constexpr std::size_t kBodyPadding = 64;

struct Response {
  int status = 200;
  std::string content_type = "application/json";
  std::string body = {};
  // Further headers, such as {"Allow", "GET"}. The server sets Content-Type, Content-Length and
  // Connection.
  std::vector<std::pair<std::string, std::string>> headers = {};
  bool closes = false;  // the connection ends with it
};

// A plain-text answer, for errors and probes.
Response text_response(int status, std::string_view text);

// The right, and the duty, to answer one request: now or later, from any thread, exactly once.
// Destroyed without an answer, it answers 500. Holding one costs a connection and no thread.
class Responder {
 public:
  // The other side of a responder: the server's connection, or a fake in a test.
  class Exchange {
   public:
    virtual ~Exchange() = default;
    virtual void answer(Response response) = 0;  // called exactly once
    virtual void on_disconnect(std::function<void()> callback) = 0;
  };

  explicit Responder(std::shared_ptr<Exchange> exchange) : exchange_(std::move(exchange)) {}
  Responder(Responder&& other) noexcept = default;
  Responder& operator=(Responder&& other) noexcept;
  ~Responder();

  // Returns at once and never throws. An answer to a peer that has gone is dropped.
  void answer(Response response);

  // `callback` runs at most once, on an I/O thread and without a lock. It runs when the connection
  // breaks, or the server cuts it, before the answer; if it is broken already, inside this call. It
  // may run while another thread answers. A later call replaces it.
  void on_disconnect(std::function<void()> callback);

 private:
  std::shared_ptr<Exchange> exchange_;
};

// Handles one request on an I/O thread. It must be finite and must not wait. The request is valid
// only during the call. An exception becomes a 500.
using Handler = std::function<void(const Request& request, Responder responder)>;

}  // namespace berth::http
