#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <map>

#include "berth/base/executor.h"
#include "kubeapi/rest_client.h"
#include "kubeapi/token_bucket.h"
#include "kubeapi/transport.h"

namespace berth::kubeapi {

// Unary requests, under the rate limit and the cap. All of it belongs to one executor, so send()
// and the others are called there, and so is each `done`.
class RequestQueue {
 public:
  using Done = std::function<void(Response)>;
  static constexpr const char* kStopped = "the client was stopped";

  // All must outlive this; `transport` calls nothing after stop().
  RequestQueue(Executor& executor, Transport& transport, const RestOptions& options, Pulse& pulse)
      : executor_(executor),
        transport_(transport),
        options_(options),
        pulse_(pulse),
        bucket_(options.qps, options.burst) {}

  // Returns its ticket, for give_up().
  std::uint64_t send(Request request, Done done);
  // Nobody waits for its answer any more. `done` is called all the same.
  void give_up(std::uint64_t ticket);
  // As RestClient::end_writes(). `ended` is called once there are no more of them.
  void end_writes(Duration patience, std::function<void()> ended);
  // Answers all requests with status 0, also later ones; `ended` comes after the last answer.
  void stop(std::function<void()> ended);
  RestCounters counters() const;

 private:
  struct Waiting {
    Request request;
    Done done;
    std::uint64_t ticket;
  };
  using Line = std::deque<Waiting>;
  struct Flying {
    Done done;
    bool is_counted = true;  // towards the cap
    bool needs_term = false;
    std::uint64_t ticket = 0;
  };

  void start();
  bool start_next();
  void launch(Waiting waiting, bool is_counted);
  void finish(std::uint64_t id, Response response);
  bool has_writes() const;

  Executor& executor_;
  Transport& transport_;
  const RestOptions options_;
  Pulse& pulse_;
  TokenBucket bucket_;
  Line urgent_;
  Line waiting_;
  Line patient_;  // requests that can wait
  std::map<std::uint64_t, Flying> flying_;
  std::uint64_t last_id_ = 0;
  std::uint64_t last_ticket_ = 0;
  int counted_ = 0;         // in flight, towards the cap
  bool is_waking_ = false;  // when the rate allows the next
  bool is_stopping_ = false;
  std::function<void()> writes_ended_;
  std::uint64_t last_write_ = 0;  // that it waits for
  std::uint64_t ending_ = 0;      // how often writes were ended
  std::function<void()> stopped_;
  RestCounters counters_;
};

}  // namespace berth::kubeapi
