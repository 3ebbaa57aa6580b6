#pragma once

#include <chrono>
#include <condition_variable>
#include <functional>
#include <mutex>
#include <string>
#include <vector>

#include "embedded/embedded_cluster.h"

namespace berth::embedded {

inline constexpr std::chrono::seconds kPatience{20};

// Records events and lets a test wait until they satisfy a condition.
class RecordingSink final : public ports::EventSink {
 public:
  void post(ClusterEvent event) override {
    {
      const std::lock_guard lock(mutex_);
      events_.push_back(std::move(event));
    }
    changed_.notify_all();
  }

  using Condition = std::function<bool(const std::vector<ClusterEvent>&)>;
  bool wait(const Condition& condition) {
    std::unique_lock lock(mutex_);
    return changed_.wait_for(lock, kPatience, [&] { return condition(events_); });
  }
  // The last posted state of a pod satisfies the condition.
  bool wait_for_pod(const std::string& name, const std::function<bool(const PodObject&)>& is_so) {
    return wait([&](const std::vector<ClusterEvent>& events) {
      const PodObject* last = nullptr;
      for (const ClusterEvent& event : events) {
        const auto* const pod = std::get_if<PodObject>(&event);
        if (pod != nullptr && pod->name == name) last = pod;
      }
      return last != nullptr && is_so(*last);
    });
  }
  bool wait_for_bound(const std::string& name) {
    return wait_for_pod(name, [](const PodObject& pod) { return !pod.node_name.empty(); });
  }
  bool wait_for_deletion(const std::string& uid) {
    return wait([&](const std::vector<ClusterEvent>& events) {
      const auto* const gone = events.empty() ? nullptr : std::get_if<PodDeleted>(&events.back());
      return gone != nullptr && gone->uid == uid;
    });
  }
  std::vector<ClusterEvent> events() const {
    const std::lock_guard lock(mutex_);
    return events_;
  }

 private:
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<ClusterEvent> events_;
};

inline TimePoint test_start() { return TimePoint(std::chrono::seconds(1'790'000'000)); }

inline NodeObject make_node(const std::string& name, std::int64_t cpu_milli = 4'000) {
  NodeObject node;
  node.name = name;
  node.uid = "node-" + name;
  node.labels = {{"kubernetes.io/hostname", name}};
  node.allocatable = {{"cpu", cpu_milli}, {"memory", std::int64_t{8} << 30}, {"pods", 110}};
  return node;
}

inline PodObject make_pod(const std::string& name, std::int64_t cpu_milli = 1'000,
                          const std::string& scheduler = "berth") {
  PodObject pod;
  pod.name_space = "default";
  pod.name = name;
  pod.uid = "uid-" + name;
  pod.scheduler_name = scheduler;
  pod.request = {{"cpu", cpu_milli}, {"pods", 1}};
  return pod;
}

inline void nominate(EmbeddedCluster& cluster, const std::string& uid, const std::string& node) {
  const auto nomination = ports::PodWrite{.node = node};
  cluster.write({{.uid = uid}, nomination}, [](const ports::WriteOutcome&) {});
}

}  // namespace berth::embedded
