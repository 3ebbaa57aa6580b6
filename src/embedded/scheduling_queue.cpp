#include "embedded/scheduling_queue.h"

#include <algorithm>
#include <limits>
#include <vector>

#include "berth/base/check.h"

namespace berth::embedded {
namespace {

// --pod-max-in-unschedulable-pods-duration
constexpr Duration kLongestStay = std::chrono::minutes(5);

bool may_help(WakeUp event, Rejectors rejectors) {
  if ((rejectors & kByExtender) != 0 || event == WakeUp::own_spec) return true;
  switch (event) {
    case WakeUp::node_change:
      return true;
    case WakeUp::pod_gone:
      return (rejectors & kByResources) != 0;
    default:
      return false;
  }
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
  std::map<ActiveKey, std::string>& line = active_.empty() && pops_from_backoff_ ? early_ : active_;
  if (line.empty()) return std::nullopt;
  const std::string uid = line.begin()->second;
  move(uid, pods_.at(uid), Place::in_flight);
  return uid;
}

void SchedulingQueue::reject(const std::string& uid, Rejectors by, TimePoint now) {
  Pod& pod = pods_.at(uid);
  BERTH_CHECK(pod.place == Place::in_flight);
  pod.rejectors = by;
  pod.errors = 0;
  pod.queued = now;
  pod.due = now + backoff(++pod.rejections);
  move(uid, pod, Place::unschedulable);
}

void SchedulingQueue::fail(const std::string& uid, TimePoint now) {
  Pod& pod = pods_.at(uid);
  BERTH_CHECK(pod.place == Place::in_flight);
  pod.queued = now;
  pod.due = now + backoff(++pod.errors);
  move(uid, pod, Place::error_backoff);
}

void SchedulingQueue::wake_all(WakeUp event, TimePoint now) {
  wake_up_to(event, std::numeric_limits<std::int32_t>::max(), now);
}

void SchedulingQueue::wake_up_to(WakeUp event, std::int32_t max_priority, TimePoint now) {
  std::vector<std::string> woken;
  for (const auto& [key, uid] : unschedulable_) {
    const Pod& pod = pods_.at(uid);
    if (pod.priority <= max_priority && may_help(event, pod.rejectors)) woken.push_back(uid);
  }
  for (const std::string& uid : woken) wake(uid, pods_.at(uid), event, now);
}

void SchedulingQueue::wake(const std::string& uid, WakeUp event, TimePoint now) {
  const auto pod = pods_.find(uid);
  if (pod != pods_.end()) wake(uid, pod->second, event, now);
}

void SchedulingQueue::wake(const std::string& uid, Pod& pod, WakeUp event, TimePoint now) {
  if (pod.place != Place::unschedulable || !may_help(event, pod.rejectors)) return;
  move(uid, pod, pod.due > now ? Place::backoff : Place::active);
}

std::optional<TimePoint> SchedulingQueue::next_due() const {
  std::optional<TimePoint> next;
  if (!backoff_.empty()) next = std::get<0>(backoff_.begin()->first);
  if (!unschedulable_.empty()) {
    const TimePoint flushed = std::get<0>(unschedulable_.begin()->first) + kLongestStay;
    next = next ? std::min(*next, flushed) : flushed;
  }
  return next;
}

Duration SchedulingQueue::backoff(int failures) const {
  Duration duration = initial_backoff_;
  for (int i = 1; i < failures && duration < max_backoff_; ++i) duration *= 2;
  return std::min(duration, max_backoff_);
}

SchedulingQueue::ActiveKey SchedulingQueue::active_key(const Pod& pod) {
  return {-std::int64_t{pod.priority}, pod.queued, pod.sequence};
}

// Moves a pod from one queue to another; Place::in_flight is in none.
void SchedulingQueue::move(const std::string& uid, Pod& pod, Place place) {
  active_.erase(active_key(pod));
  early_.erase(active_key(pod));
  backoff_.erase({pod.due, pod.sequence});
  unschedulable_.erase({pod.queued, pod.sequence});
  pod.place = place;
  if (place == Place::active) active_.emplace(active_key(pod), uid);
  if (place == Place::backoff) early_.emplace(active_key(pod), uid);
  if (place == Place::backoff || place == Place::error_backoff) {
    backoff_.emplace(DueKey{pod.due, pod.sequence}, uid);
  }
  if (place == Place::unschedulable) unschedulable_.emplace(DueKey{pod.queued, pod.sequence}, uid);
}

void SchedulingQueue::flush(TimePoint now) {
  while (!backoff_.empty() && std::get<0>(backoff_.begin()->first) <= now) {
    const std::string uid = backoff_.begin()->second;
    move(uid, pods_.at(uid), Place::active);
  }
  while (!unschedulable_.empty() &&
         std::get<0>(unschedulable_.begin()->first) + kLongestStay <= now) {
    const std::string uid = unschedulable_.begin()->second;
    move(uid, pods_.at(uid), Place::active);
  }
}

}  // namespace berth::embedded
