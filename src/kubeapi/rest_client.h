#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "berth/base/clock.h"
#include "berth/base/result.h"
#include "kubeapi/access.h"
#include "kubeapi/cancellation.h"
#include "kubeapi/request.h"

// HTTP to the API server, in the field's terms. docs/design/api-client.md has the rules.

namespace berth::kubeapi {

// First in main, before any thread is started: sets the process up for the library underneath
// (environment, size of its thread pool). Idempotent; a client that is created calls it too, but
// then, too late for what the environment saves.
void prepare_process();

struct RestOptions {
  double qps = 50;         // requests a second in the long run; 0: no limit
  int burst = 100;         // more than that at once, after a pause
  int max_in_flight = 64;  // connections for unary requests, at most
  std::string user_agent = "berth";
  std::size_t body_max = std::size_t{256} << 20;  // bytes of an answer that is not streamed
  std::size_t line_max = std::size_t{32} << 20;   // bytes of a line of a stream
};

struct RestCounters {
  std::uint64_t sent = 0;       // unary requests that left the queue
  std::uint64_t failed = 0;     // of these, without an answer
  std::uint64_t throttled = 0;  // answers with status 429
  std::uint64_t queued = 0;     // waiting now
  std::uint64_t in_flight = 0;  // now
};

// Any thread. Destroying it stops it.
class RestClient {
 public:
  // Reads the credentials once; an Error when a file or certificate among them cannot be read.
  static Result<std::unique_ptr<RestClient>> create(Access access, RestOptions options = {});
  ~RestClient();
  RestClient(const RestClient&) = delete;
  RestClient& operator=(const RestClient&) = delete;

  // Returns at once. The request is queued under the rate limit and the cap on those in flight.
  // `done` is called exactly once, also after stop() (status 0), on a thread of the client or, when
  // stopped, the caller's. It must not block, nor call() or stop(); it may send().
  void send(Request request, std::function<void(Response)> done);

  // The same, waiting.
  Response call(Request request);

  // Answers what is queued and not yet sent with status 0: it was decided by a leader of before.
  void discard_queued();

  // Reads an answer line by line, on the caller's thread, whose slowness holds back the server.
  // Returns when the server ends it (status 200, error empty), when it breaks, stalls, or a line is
  // too long (status 200, error set; a last line without its end is dropped), when cancelled or
  // stopped (error set), or at once with any other status, and the body. Takes part in neither the
  // rate limit nor the cap.
  Response stream(const Request& request, const std::function<void(std::string_view line)>& on_line,
                  Cancellation& cancel);

  // Ends everything: what is queued or in flight is answered with status 0. Returns when no `done`
  // runs any more. Idempotent.
  void stop();

  RestCounters counters() const;

  // "https://host:port": for messages.
  const std::string& server() const;

 private:
  class Impl;
  explicit RestClient(std::unique_ptr<Impl> impl);

  std::unique_ptr<Impl> impl_;
};

}  // namespace berth::kubeapi
