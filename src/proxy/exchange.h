#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "curl/headers.h"

namespace berth::proxy {

using curl::Header;
using curl::Headers;
using curl::value_of;

struct Request {
  std::string method;    // "GET"
  std::string target;    // path and query, as received: "/api/v1/pods?watch=true"
  Headers headers = {};  // without those that belong to one connection
};

// A whole answer, without a content-length.
struct Answer {
  int status = 200;
  Headers headers = {};
  std::string body = {};
};

// A request with a larger body is not shown to an interceptor.
inline constexpr std::size_t kBodyMost = std::size_t{1} << 20;

// The answer to a client's request, as an exchange writes it. Calls after end() or abort() do
// nothing.
class Reply {
 public:
  virtual ~Reply() = default;
  virtual void head(int status, Headers headers) = 0;  // once, first
  virtual void body(std::string bytes) = 0;
  virtual void end() = 0;                  // the answer is whole; upstream's is not read further
  virtual void abort() = 0;                // resets the stream: the client sees that it broke
  virtual std::size_t queued() const = 0;  // bytes that are not yet on their way to the socket
  virtual bool is_full() = 0;              // the client reads too slowly; on_room() follows
  // The exchange goes on by itself: upstream is not asked, or its answer not read further. on_end()
  // follows when a watch has lasted as long as its client asked for.
  virtual void leave_upstream() = 0;
};

// A request whose answer is rewritten. Everything runs on the proxy's thread.
//
// The proxy calls it with upstream's answer, and destroys it when the client's stream is closed,
// for whatever cause. It may use its reply at any time in between, also from Proxy::post.
class Exchange {
 public:
  virtual ~Exchange() = default;
  // `headers` may have upstream's content-length: an exchange that changes the length removes it.
  virtual void on_head(int status, Headers headers) = 0;
  virtual void on_body(std::string_view bytes) = 0;
  virtual void on_end() = 0;  // upstream's answer is whole
  // Upstream's answer cannot be had, or it broke off. No call follows but on_closed.
  virtual void on_failure(const std::string& why) = 0;
  // A reply that was full and has left upstream is so no more.
  virtual void on_room() {}
  // The last call. `is_delivered`: all bytes and the end went to the client's socket, without an
  // error of the stream or the connection.
  virtual void on_closed([[maybe_unused]] bool is_delivered) {}
};

// Decides which requests are not simply passed on. All calls come on the proxy's thread.
class Interceptor {
 public:
  virtual ~Interceptor() = default;

  // Null: the request passes untouched. Otherwise `request` may be changed before it goes upstream.
  // `reply` lives as long as the exchange. If the exchange ends it within this call, or before
  // upstream is asked, upstream is not asked.
  virtual std::unique_ptr<Exchange> intercept(Request& request, Reply& reply) = 0;

  // Whether the body is to be read whole and shown to `answer` first.
  virtual bool reads_body(const Request& request) const = 0;

  // The answer to a request whose body was read. None: the request goes upstream.
  virtual std::optional<Answer> answer(const Request& request, std::string_view body) = 0;

  // The answer to a request that may not go upstream now; none: it may. Asked before it goes there,
  // and again on its connection, right before it is sent: it may have waited for that.
  virtual std::optional<Answer> refusal(const Request& /*request*/) { return std::nullopt; }
};

}  // namespace berth::proxy
