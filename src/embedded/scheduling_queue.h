#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <tuple>
#include <unordered_map>

#include "berth/base/clock.h"

namespace berth::embedded {

// The events that can make a rejected pod schedulable, in the terms of kube-scheduler's queue.
enum class WakeUp : std::uint8_t {
  node_change,  // a node came or changed
  pod_gone,     // an assigned pod left, or an assumed one was forgotten
  pod_placed,   // an assigned pod came or changed
  own_status,   // the pod's own status, labels or annotations
  own_spec,     // the pod's own request or constraints
};

// The filters that rejected a pod; a set of these.
enum Rejector : std::uint8_t {
  kByExtender = 1,   // every event wakes it
  kByResources = 2,  // fit, pod count, host ports
  kByNode = 4,       // cordon, taints, selectors
};
using Rejectors = std::uint8_t;

// kube-scheduler's queue of pods to schedule: active, backing off, unschedulable, gated. Since 1.32
// every event moves a pod that an extender rejected, its own status updates included. Backoff
// counts rejections and consecutive errors apart (1.34). One thread.
class SchedulingQueue {
 public:
  SchedulingQueue(Duration initial_backoff, Duration max_backoff, bool pops_from_backoff);

  // Adds a pod. For a known pod, updates its priority and gates; removing the last gate makes it
  // active.
  void put(const std::string& uid, std::int32_t priority, bool gated, TimePoint now);
  void erase(const std::string& uid);
  bool contains(const std::string& uid) const { return pods_.contains(uid); }

  // The next pod to try, by priority, then time of queueing. It is in flight until reject(), fail()
  // or erase().
  std::optional<std::string> pop(TimePoint now);

  // The pod in flight found no node.
  void reject(const std::string& uid, Rejectors by, TimePoint now);
  // The pod in flight met an error. It waits for the end of its backoff, and no event shortens
  // that.
  void fail(const std::string& uid, TimePoint now);

  // Moves rejected pods that `event` may help to active, or to backoff while it lasts.
  void wake_all(WakeUp event, TimePoint now);
  void wake_up_to(WakeUp event, std::int32_t max_priority, TimePoint now);
  void wake(const std::string& uid, WakeUp event, TimePoint now);

  // The time when pop() may return another pod.
  std::optional<TimePoint> next_due() const;

 private:
  enum class Place : std::uint8_t {
    active,
    backoff,
    error_backoff,
    unschedulable,
    gated,
    in_flight,
  };
  struct Pod {
    Place place = Place::active;
    std::int32_t priority = 0;
    TimePoint queued;  // the end of the last attempt; at first, the arrival
    TimePoint due;     // end of backoff
    std::uint64_t sequence = 0;
    int rejections = 0;
    int errors = 0;  // consecutive
    Rejectors rejectors = 0;
  };
  using Pods = std::unordered_map<std::string, Pod>;
  using ActiveKey = std::tuple<std::int64_t, TimePoint, std::uint64_t>;  // minus priority first
  using DueKey = std::tuple<TimePoint, std::uint64_t>;

  Duration backoff(int failures) const;
  void move(const std::string& uid, Pod& pod, Place place);
  void wake(const std::string& uid, Pod& pod, WakeUp event, TimePoint now);
  void flush(TimePoint now);
  static ActiveKey active_key(const Pod& pod);

  const Duration initial_backoff_;
  const Duration max_backoff_;
  const bool pops_from_backoff_;
  Pods pods_;
  std::map<ActiveKey, std::string> active_;
  std::map<ActiveKey, std::string> early_;  // backing off after a rejection, as active_ is ordered
  std::map<DueKey, std::string> backoff_;   // both kinds
  std::map<DueKey, std::string> unschedulable_;  // by time of queueing
  std::uint64_t next_sequence_ = 0;
};

}  // namespace berth::embedded
