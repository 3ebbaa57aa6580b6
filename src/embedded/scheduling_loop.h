#pragma once

#include <condition_variable>
#include <deque>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <variant>
#include <vector>

#include "embedded/extender_client.h"
#include "embedded/kube_scheduler.h"
#include "embedded/scheduler_cache.h"
#include "embedded/scheduling_queue.h"
#include "embedded/thread_pool.h"
#include "ports/event_sink.h"

namespace berth::embedded {

// The inside of the stand-in: a thread that takes in reports of informers and bindings and, without
// new ones, schedules one pod. Only the inbox and the counts are shared with other threads.
class SchedulingLoop final : public ports::EventSink {
 public:
  SchedulingLoop(KubeSchedulerOptions options, EmbeddedCluster& cluster, const ScaledClock& clock,
                 std::unique_ptr<ExtenderClient> extender);
  ~SchedulingLoop() override;

  void start();
  void stop();
  void post(ClusterEvent event) override;
  KubeSchedulerCounts counts() const;

 private:
  struct BindEnd {
    std::string pod_uid;
    std::uint64_t attempt = 0;
    std::string error;  // empty: bound
  };
  using Input = std::variant<ClusterEvent, BindEnd>;
  struct Assumed {
    std::string node;
    std::uint64_t attempt = 0;
  };
  // The result of a scheduling cycle: a node, a rejection, or an error.
  struct CycleResult {
    std::string node;
    Rejectors rejectors = 0;
    bool is_error = false;
  };
  using Nodes = std::vector<const SchedulerCache::Node*>;
  using Count = std::uint64_t KubeSchedulerCounts::*;

  void run();
  bool take_inbox();
  void wait_for_input();
  void report(BindEnd end);

  // Takes in the events of informers (scheduling_informers.cpp).
  void take(ClusterEvent event);
  void take_pod(PodObject pod);
  void take_assigned(PodObject pod);
  void take_waiting(PodObject pod);
  void take_deleted(const std::string& uid);
  void take(const BindEnd& end);
  void set_nomination(const PodObject& pod, const std::string& old_node);

  void schedule(const std::string& uid);
  CycleResult choose(const PodObject& pod);
  std::optional<std::string> try_nominated(const PodObject& pod, const std::string& json);
  Result<Nodes> filter(const std::string& json, const Nodes& nodes);
  std::string best(const std::string& json, const Nodes& nodes);
  void assume_and_bind(const PodObject& pod, const std::string& node);
  void clear_nomination(const std::string& uid);
  bool is_managed(const PodObject& pod) const;
  void count(Count which, std::int64_t change = 1);

  const KubeSchedulerOptions options_;
  EmbeddedCluster& cluster_;
  const ScaledClock& clock_;
  const std::unique_ptr<ExtenderClient> extender_;

  SchedulingQueue queue_;
  SchedulerCache cache_;
  std::map<std::string, PodObject> pods_;   // by uid; all pods that are not finished
  std::map<std::string, Assumed> assumed_;  // by pod uid: chosen, and not yet bound
  std::uint64_t next_attempt_ = 0;

  mutable std::mutex counts_mutex_;
  KubeSchedulerCounts counts_;

  std::mutex inbox_mutex_;  // guards the next three members
  std::condition_variable posted_;
  std::deque<Input> inbox_;
  bool stopping_ = false;

  std::thread thread_;
  ThreadPool binders_;
};

}  // namespace berth::embedded
