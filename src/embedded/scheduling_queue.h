#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <unordered_map>

#include "berth/base/clock.h"

namespace berth::embedded {

// The events that can make a rejected pod schedulable, in the terms of kube-scheduler's queue.
enum class WakeUp : std::uint8_t {
  node_came,
  node_change,      // a node changed
  node_gone,        // a node left
  pod_gone,         // an assigned pod left, or an assumed one was forgotten
  pod_placed,       // an assigned pod came or changed
  own_status,       // the pod's own status, labels or annotations
  own_request,      // the pod itself asks for less
  own_tolerations,  // the pod itself tolerates more
  long_stay,        // pods have been rejected for five minutes
};
constexpr std::size_t kWakeUps = 9;

// The filters that rejected a pod; a set of these.
enum Rejector : std::uint8_t {
  kByExtender = 1,   // every event wakes it
  kByResources = 2,  // fit, pod count
  kByNode = 4,       // cordon, taints, selectors
  kByPorts = 8,      // since 1.37, no change of a node wakes it
};
using Rejectors = std::uint8_t;

// kube-scheduler's queue of pods to schedule: active, backing off, unschedulable, gated. Since 1.32
// every event moves a pod that an extender rejected, its own status updates included. Backoff
// counts rejections and consecutive errors apart (1.34). Back-offs are looked at once a second, and
// long stays twice a minute. One thread.
class SchedulingQueue {
 public:
  enum class Place : std::uint8_t {
    active,
    backoff,
    error_backoff,
    unschedulable,
    gated,
    in_flight,
  };

  SchedulingQueue(Duration initial_backoff, Duration max_backoff, bool pops_from_backoff);

  // Adds a pod. For a known pod, updates its priority and gates; removing the last gate makes it
  // active.
  void put(const std::string& uid, std::int32_t priority, bool gated, TimePoint now);
  void erase(const std::string& uid);
  bool contains(const std::string& uid) const { return pods_.contains(uid); }

  // The next pod to try, by priority, then time of queueing. It is in flight until reject(), fail()
  // or erase().
  std::optional<std::string> pop(TimePoint now);

  // The pod in flight found no node. It backs off at once if an event since pop() may help it. If
  // nothing rejected it, since there are no nodes, this is an error.
  void reject(const std::string& uid, Rejectors by, TimePoint now);
  // The pod in flight met an error. It waits for the end of its backoff, and no event shortens
  // that.
  void fail(const std::string& uid, TimePoint now);

  // The pod in flight is not tried again before release(): what others do for it is under way.
  void hold(const std::string& uid);
  // `at_once`: it does not wait for an event.
  void release(const std::string& uid, bool at_once);

  // Moves rejected pods that `event` may help to active, or to backoff while it lasts. To pods in
  // flight, an event matters whatever their priority.
  void wake_all(WakeUp event, TimePoint now);
  void wake_up_to(WakeUp event, std::int32_t max_priority, TimePoint now);
  void wake(const std::string& uid, WakeUp event, TimePoint now);

  // Ends the back-offs and stays that are over. All other calls that depend on it do this first.
  void flush(TimePoint now);

  // The time when flush() may move another pod.
  std::optional<TimePoint> next_due() const;

  std::optional<Place> place(const std::string& uid) const;

 private:
  struct Pod {
    Place place = Place::active;
    std::int32_t priority = 0;
    TimePoint queued;  // the end of the last attempt; at first, the arrival
    TimePoint due;     // end of backoff
    std::uint64_t sequence = 0;
    std::uint64_t events_at_pop = 0;
    int rejections = 0;
    int errors = 0;  // consecutive
    Rejectors rejectors = 0;
    bool is_held = false;
    bool was_woken_while_held = false;  // then others wake it only by going
  };
  using Pods = std::unordered_map<std::string, Pod>;
  using ActiveKey = std::tuple<std::int64_t, TimePoint, std::uint64_t>;  // minus priority first
  using EarlyKey = std::tuple<TimePoint, ActiveKey>;  // the second in which its backoff ends first
  using DueKey = std::tuple<TimePoint, std::uint64_t>;

  TimePoint end_of_backoff(int failures, TimePoint now) const;
  TimePoint window(TimePoint time) const;
  void note(WakeUp event) { last_[static_cast<std::size_t>(event)] = ++events_; }
  bool has_missed_help(const Pod& pod) const;
  void leave_unschedulable(const std::string& uid, Pod& pod, TimePoint now);
  void move(const std::string& uid, Pod& pod, Place place);
  static ActiveKey active_key(const Pod& pod);

  const Duration initial_backoff_;
  const Duration max_backoff_;
  const bool pops_from_backoff_;
  Pods pods_;
  std::map<ActiveKey, std::string> active_;
  std::map<EarlyKey, std::string> early_;        // backing off after a rejection
  std::map<DueKey, std::string> backoff_;        // both kinds
  std::map<DueKey, std::string> unschedulable_;  // by time of queueing
  std::uint64_t next_sequence_ = 0;
  std::uint64_t events_ = 0;
  std::array<std::uint64_t, kWakeUps> last_{};  // the number of the last event of each kind
};

}  // namespace berth::embedded
