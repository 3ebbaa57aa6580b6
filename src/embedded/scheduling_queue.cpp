#include "embedded/scheduling_queue.h"

#include <algorithm>
#include <limits>
#include <vector>

#include "berth/base/check.h"

namespace berth::embedded {
namespace {

using std::chrono::seconds;

// --pod-max-in-unschedulable-pods-duration
constexpr Duration kLongestStay = std::chrono::minutes(5);

// How often kube-scheduler looks for the ends of stays and of back-offs.
using HalfMinutes = std::chrono::duration<std::int64_t, std::ratio<30>>;

template <class Period>
TimePoint begin_of(TimePoint time) {
  return std::chrono::floor<Period>(time);
}

bool may_help(WakeUp event, Rejectors rejectors) {
  if ((rejectors & kByExtender) != 0) return true;
  switch (event) {
    case WakeUp::node_came:
    case WakeUp::long_stay:
      return true;
    case WakeUp::node_change:
      return (rejectors & (kByResources | kByNode)) != 0;
    case WakeUp::pod_gone:
      return (rejectors & (kByResources | kByPorts)) != 0;
    case WakeUp::own_request:
      return (rejectors & kByResources) != 0;
    case WakeUp::own_tolerations:
      return (rejectors & kByNode) != 0;
    case WakeUp::node_gone:
    case WakeUp::pod_placed:
    case WakeUp::own_status:
      return false;
  }
  return false;
}

}  // namespace

SchedulingQueue::SchedulingQueue(Duration initial_backoff, Duration max_backoff,
                                 bool pops_from_backoff)
    : initial_backoff_(initial_backoff),
      max_backoff_(max_backoff),
      pops_from_backoff_(pops_from_backoff) {}

void SchedulingQueue::put(const std::string& uid, std::int32_t priority, bool gated,
                          TimePoint now) {
  const auto [entry, is_new] = pods_.try_emplace(uid);
  Pod& pod = entry->second;
  if (is_new) {
    pod.place = Place::in_flight;  // in no queue yet
    pod.priority = priority;
    pod.queued = now;
    pod.sequence = next_sequence_++;
    move(uid, pod, gated ? Place::gated : Place::active);
    return;
  }
  const Place place = pod.place;
  move(uid, pod, Place::in_flight);  // its key may change
  pod.priority = priority;
  move(uid, pod, place == Place::gated && !gated ? Place::active : place);
}

void SchedulingQueue::erase(const std::string& uid) {
  const auto pod = pods_.find(uid);
  if (pod == pods_.end()) return;
  move(uid, pod->second, Place::in_flight);
  pods_.erase(pod);
}

std::optional<std::string> SchedulingQueue::pop(TimePoint now) {
  flush(now);
  std::string uid;
  if (!active_.empty()) {
    uid = active_.begin()->second;
  } else if (pops_from_backoff_ && !early_.empty()) {
    uid = early_.begin()->second;
  } else {
    return std::nullopt;
  }
  Pod& pod = pods_.at(uid);
  pod.events_at_pop = events_;
  move(uid, pod, Place::in_flight);
  return uid;
}

void SchedulingQueue::reject(const std::string& uid, Rejectors by, TimePoint now) {
  if (by == 0) return fail(uid, now);
  flush(now);
  Pod& pod = pods_.at(uid);
  BERTH_CHECK(pod.place == Place::in_flight);
  pod.rejectors = by;
  pod.errors = 0;
  pod.queued = now;
  pod.due = end_of_backoff(++pod.rejections, now);
  move(uid, pod, Place::unschedulable);
  if (has_missed_help(pod)) leave_unschedulable(uid, pod, now);
}

void SchedulingQueue::fail(const std::string& uid, TimePoint now) {
  Pod& pod = pods_.at(uid);
  BERTH_CHECK(pod.place == Place::in_flight);
  pod.queued = now;
  pod.due = end_of_backoff(++pod.errors, now);
  move(uid, pod, Place::error_backoff);
}

void SchedulingQueue::hold(const std::string& uid) { pods_.at(uid).is_held = true; }

void SchedulingQueue::release(const std::string& uid, bool at_once) {
  const auto found = pods_.find(uid);
  if (found == pods_.end()) return;
  found->second.is_held = false;
  if (at_once && found->second.place == Place::unschedulable) {
    move(uid, found->second, Place::active);
  }
}

void SchedulingQueue::wake_all(WakeUp event, TimePoint now) {
  wake_up_to(event, std::numeric_limits<std::int32_t>::max(), now);
}

void SchedulingQueue::wake_up_to(WakeUp event, std::int32_t max_priority, TimePoint now) {
  flush(now);
  note(event);
  std::vector<std::string> woken;
  for (const auto& [key, uid] : unschedulable_) {
    const Pod& pod = pods_.at(uid);
    if (pod.was_woken_while_held && event != WakeUp::pod_gone) continue;
    if (pod.priority <= max_priority && may_help(event, pod.rejectors)) woken.push_back(uid);
  }
  for (const std::string& uid : woken) leave_unschedulable(uid, pods_.at(uid), now);
}

void SchedulingQueue::wake(const std::string& uid, WakeUp event, TimePoint now) {
  flush(now);
  const auto found = pods_.find(uid);
  if (found == pods_.end()) return;
  Pod& pod = found->second;
  if (pod.place == Place::in_flight) note(event);
  if (pod.place != Place::unschedulable || !may_help(event, pod.rejectors)) return;
  leave_unschedulable(uid, pod, now);
}

void SchedulingQueue::leave_unschedulable(const std::string& uid, Pod& pod, TimePoint now) {
  pod.was_woken_while_held = pod.is_held;
  if (pod.is_held) return;
  move(uid, pod, pod.due >= window(now) ? Place::backoff : Place::active);
}

bool SchedulingQueue::has_missed_help(const Pod& pod) const {
  for (std::size_t event = 0; event < kWakeUps; ++event) {
    const bool is_missed = last_[event] > pod.events_at_pop;
    if (is_missed && may_help(static_cast<WakeUp>(event), pod.rejectors)) return true;
  }
  return false;
}

void SchedulingQueue::flush(TimePoint now) {
  while (!backoff_.empty() && std::get<0>(backoff_.begin()->first) < begin_of<seconds>(now)) {
    const std::string uid = backoff_.begin()->second;
    move(uid, pods_.at(uid), Place::active);
  }
  const TimePoint over = begin_of<HalfMinutes>(now) - kLongestStay;
  std::vector<std::string> long_there;
  for (const auto& [key, uid] : unschedulable_) {
    if (std::get<0>(key) >= over) break;
    long_there.push_back(uid);
  }
  for (const std::string& uid : long_there) {
    leave_unschedulable(uid, pods_.at(uid), now);
    note(WakeUp::long_stay);
  }
}

std::optional<TimePoint> SchedulingQueue::next_due() const {
  std::optional<TimePoint> next;
  if (!backoff_.empty()) {
    next = begin_of<seconds>(std::get<0>(backoff_.begin()->first)) + seconds(1);
  }
  if (!unschedulable_.empty()) {
    const TimePoint end = std::get<0>(unschedulable_.begin()->first) + kLongestStay;
    const TimePoint flushed = begin_of<HalfMinutes>(end) + HalfMinutes(1);
    next = next ? std::min(*next, flushed) : flushed;
  }
  return next;
}

std::optional<SchedulingQueue::Place> SchedulingQueue::place(const std::string& uid) const {
  const auto pod = pods_.find(uid);
  return pod == pods_.end() ? std::nullopt : std::optional(pod->second.place);
}

// From 1.33, back-offs end with the second, so that priority orders those of one second.
TimePoint SchedulingQueue::window(TimePoint time) const {
  return pops_from_backoff_ ? begin_of<seconds>(time) : time;
}

TimePoint SchedulingQueue::end_of_backoff(int failures, TimePoint now) const {
  Duration duration = initial_backoff_;
  for (int i = 1; i < failures && duration < max_backoff_; ++i) duration *= 2;
  return window(now + std::min(duration, max_backoff_));
}

SchedulingQueue::ActiveKey SchedulingQueue::active_key(const Pod& pod) {
  return {-std::int64_t{pod.priority}, pod.queued, pod.sequence};
}

// Moves a pod from one queue to another; Place::in_flight is in none.
void SchedulingQueue::move(const std::string& uid, Pod& pod, Place place) {
  active_.erase(active_key(pod));
  early_.erase({pod.due, active_key(pod)});
  backoff_.erase({pod.due, pod.sequence});
  unschedulable_.erase({pod.queued, pod.sequence});
  pod.place = place;
  if (place == Place::active) active_.emplace(active_key(pod), uid);
  if (place == Place::backoff) early_.emplace(EarlyKey{pod.due, active_key(pod)}, uid);
  if (place == Place::backoff || place == Place::error_backoff) {
    backoff_.emplace(DueKey{pod.due, pod.sequence}, uid);
  }
  if (place == Place::unschedulable) unschedulable_.emplace(DueKey{pod.queued, pod.sequence}, uid);
}

}  // namespace berth::embedded
