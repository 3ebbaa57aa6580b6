#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "berth/base/clock.h"
#include "ports/leadership.h"

// A request to the API server and its answer.

namespace berth::kubeapi {

// Of an answer. Protobuf: the API server's own kinds only, not those of custom definitions.
enum class Format : std::uint8_t { json, protobuf };

std::string_view media_type_of(Format format);

struct Request {
  std::string method = "GET";
  std::string path;  // "/api/v1/pods?limit=500", already percent-encoded
  std::string content_type;
  std::string body;
  Format format = Format::json;  // in which the answer is asked for
  // From leaving the queue to the last byte of the answer. For a stream, to the end of its head.
  Duration deadline = std::chrono::seconds(30);
  // A stream ends after this long without a byte. A slow reader does not count.
  Duration idle_timeout = std::chrono::seconds(90);
  // Goes ahead of all queued requests, and ignores the rate limit and the cap: for leases, which
  // other work must not delay.
  bool urgent = false;
  // Lets all other requests go first: for writes that nobody waits for, such as events.
  bool can_wait = false;
  // LEASE-4. A write is sent only while this epoch's term holds.
  std::uint64_t epoch = 0;
  // But for writes that any berthd may send: of the Lease itself, and questions.
  bool needs_no_term = false;
};

inline constexpr const char* kJson = "application/json";
inline constexpr const char* kMergePatch = "application/merge-patch+json";
inline constexpr const char* kJsonPatch = "application/json-patch+json";
inline constexpr const char* kStrategicPatch = "application/strategic-merge-patch+json";

Request request_with(std::string method, std::string path, const char* content_type,
                     std::string body);

// LEASE-4
bool needs_term(const Request& request);
// Whether the request may be sent at this moment. Null: nobody else leads, ever.
bool may_be_sent(const Request& request, const ports::Leadership* leadership);
// The error of one that was not sent, or was given up, for that reason.
inline constexpr const char* kTermIsOver = "given up: this berthd does not lead any more";

inline constexpr int kNotFound = 404;

struct Response {
  int status = 0;  // 0: no answer
  std::string body = {};
  std::string error = {};  // why there is none: "https://host:port: what, expected what"
  bool is_silent = false;  // a stream, or a list, that ended for want of bytes
  std::optional<Duration> retry_after = {};  // from the server
  std::optional<Duration> since_head = {};   // of a stream: from its head to its end

  bool ok() const { return status >= 200 && status < 300; }
  // For people: the error, or the status and the message of the body's Status object.
  std::string to_string() const;
};

// No answer, 408, 429, 500, 502, 503 or 504: the same request may succeed later. The server may
// also have carried it out, so only an idempotent request may be sent again.
bool is_retryable(const Response& response);

// Percent-encodes one part of a path or one value of a query.
std::string url_encoded(std::string_view text);
// "/api/v1/pods" of "v1" and "pods"; that of an API group begins with /apis.
std::string resource_path(std::string_view api_version, std::string_view plural);

}  // namespace berth::kubeapi
