#pragma once

#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <mutex>
#include <string>
#include <thread>

#include "kubeapi/rest_client.h"
#include "kubeapi/token_bucket.h"
#include "kubeapi/transport.h"

namespace berth::kubeapi {

// Unary requests: queued under the rate limit and the cap, and started by a thread of its own. Any
// thread.
class RequestQueue {
 public:
  using Done = std::function<void(Response)>;

  RequestQueue(Transport& transport, const RestOptions& options, Pulse& pulse);
  ~RequestQueue() { stop(); }
  RequestQueue(const RequestQueue&) = delete;
  RequestQueue& operator=(const RequestQueue&) = delete;

  void send(Request request, Done done);
  void end_writes(Duration patience);  // as RestClient::end_writes()
  // The same as RestClient::stop(). `transport` is not used afterwards.
  void stop();
  RestCounters counters() const;

 private:
  struct Waiting {
    Request request;
    Done done;
  };
  struct Flying {
    Done done;
    bool is_counted = true;  // towards the cap
    bool needs_term = false;
  };

  void run();
  bool start_next(std::unique_lock<std::mutex>& lock);
  void discard_writes(std::unique_lock<std::mutex>& lock);
  void launch(std::unique_lock<std::mutex>& lock, Waiting waiting, bool is_counted);
  Duration time_to_wait() const;
  void finish(std::uint64_t id, Response response);
  void call(std::unique_lock<std::mutex>& lock, const Done& done, Response response);

  Transport& transport_;
  const std::string server_;
  const RestOptions options_;
  Pulse& pulse_;
  const SteadyClock clock_;

  mutable std::mutex mutex_;
  std::condition_variable changed_;
  TokenBucket bucket_;
  std::deque<Waiting> urgent_;
  std::deque<Waiting> waiting_;
  std::deque<Waiting> patient_;  // requests that can wait
  std::map<std::uint64_t, Flying> flying_;
  std::uint64_t next_id_ = 1;
  int counted_ = 0;  // in flight, towards the cap
  int calling_ = 0;  // running callbacks
  bool is_launching_ = false;
  bool is_stopping_ = false;
  RestCounters counters_;
  std::thread thread_;
};

}  // namespace berth::kubeapi
