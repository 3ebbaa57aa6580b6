#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <stop_token>
#include <string>
#include <string_view>

#include "berth/base/clock.h"
#include "berth/base/result.h"
#include "kubeapi/access.h"
#include "kubeapi/pulse.h"
#include "kubeapi/request.h"

// HTTP to the API server. docs/design/api-client.md has the rules.

namespace berth::kubeapi {

class Transport;

// Prepares the process for libcurl (environment, initialisation). Call it first in main, before any
// thread starts. Idempotent. Creating a client calls it too, but then the environment is set too
// late.
void prepare_process();

struct RestOptions {
  double qps = 50;         // requests a second on average; 0: no limit
  int burst = 100;         // further ones at once, after a pause
  int max_in_flight = 64;  // unary requests at once, at most
  std::string user_agent = "berth";
  std::size_t body_max = std::size_t{256} << 20;  // bytes of an answer without streaming
  std::size_t line_max = std::size_t{32} << 20;   // bytes of one line of a stream
  // LEASE-4. Must outlive the client; null: writes need no term.
  const ports::Leadership* leadership = nullptr;
};

struct RestCounters {
  std::uint64_t sent = 0;       // unary requests that left the queue
  std::uint64_t failed = 0;     // sent, but without an answer
  std::uint64_t throttled = 0;  // answers with status 429
  std::uint64_t outdated = 0;   // writes that were not sent, or given up, as their term was over
  std::uint64_t queued = 0;     // waiting now
  std::uint64_t in_flight = 0;  // now
};

// Any thread. The destructor stops it.
class RestClient {
 public:
  // Reads the credentials once. An Error if a file or certificate among them is unreadable.
  static Result<std::unique_ptr<RestClient>> create(Access access, RestOptions options = {});
  // Over this transport.
  static std::unique_ptr<RestClient> over(std::unique_ptr<Transport> transport,
                                          RestOptions options = {});
  ~RestClient();
  RestClient(const RestClient&) = delete;
  RestClient& operator=(const RestClient&) = delete;

  // Returns at once and queues the request under the rate limit and the cap. `done` is called
  // exactly once, also after stop() (status 0), on a thread of the client or, when stopped, the
  // caller's. It must not block, nor use others of these functions; it may send().
  void send(Request request, std::function<void(Response)> done);

  // The same, but waits. A stop ends the wait, with status 0, and gives the request up.
  Response call(Request request, const std::stop_token& stop = {});

  // LEASE-7. Ends the writes that need a term: answers those that are queued with status 0, waits
  // so long at most for those in flight, and gives the rest up.
  void end_writes(Duration patience);
  // Whether a write of this epoch may be sent now.
  bool may_write(std::uint64_t epoch) const;

  const Pulse& pulse() const;  // of the API server

  // Reads an answer on the caller's thread, by lines or, in protobuf, by frames with their header;
  // a slow caller slows the server. Returns status 200 without an error if the server ends the
  // stream. Returns status 200 with an error if it breaks, stalls, has too long a frame, or is
  // cancelled or stopped; a last frame that is not whole is dropped. Returns any other status at
  // once, with the body. The rate limit and the cap do not apply.
  Response stream(const Request& request,
                  const std::function<void(std::string_view frame)>& on_frame,
                  const std::stop_token& cancel);

  // Answers all queued and running requests with status 0. Returns when no `done` runs. Idempotent.
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
