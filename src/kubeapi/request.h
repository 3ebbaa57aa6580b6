#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <string_view>

#include "berth/base/clock.h"

// A request to the API server and its answer.

namespace berth::kubeapi {

struct Request {
  std::string method = "GET";
  std::string path;  // "/api/v1/pods?limit=500", already percent-encoded
  std::string content_type;
  std::string body;
  // From leaving the queue to the last byte of the answer; for a stream, to the end of its head.
  Duration deadline = std::chrono::seconds(30);
  // A stream ends when no byte came for so long. Slowness of its reader does not count.
  Duration idle_timeout = std::chrono::seconds(90);
  // Goes ahead of all that is queued, and neither waits for the rate limit nor for a place among
  // the requests in flight: for leases, which nobody else's work may delay.
  bool urgent = false;
  // Lets all others go first that are not so: for what nobody waits for, such as events.
  bool can_wait = false;
};

struct Response {
  int status = 0;  // 0: no answer
  std::string body;
  std::string error;  // why there is none: "https://host:port: what, expected what"
  std::optional<Duration> retry_after;  // as the server said

  bool ok() const { return status >= 200 && status < 300; }
  // For people: the error, or the status and the message of the Status object in the body.
  std::string to_string() const;
};

// No answer, 408, 429, 500, 502, 503 or 504: the same request may do better later. It may also have
// been carried out: only what is idempotent is safe to send again.
bool is_retryable(const Response& response);

// Percent-encodes one part of a path or one value of a query.
std::string url_encoded(std::string_view text);

}  // namespace berth::kubeapi
