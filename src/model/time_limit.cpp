#include "berth/model/time_limit.h"

#include <algorithm>

#include "berth/model/cluster.h"

namespace berth {

namespace {

constexpr Duration kOverdueLeast = std::chrono::minutes(1);
constexpr Duration kStayLeast = std::chrono::seconds(1);  // nothing is planned to end as it starts

Duration sum_of(Duration left, Duration right) {
  return left > Duration::max() - right ? Duration::max() : left + right;
}

TimePoint later(TimePoint time, Duration by) {
  return by > TimePoint::max() - time ? TimePoint::max() : time + by;
}

// TIME-3. Of a queue, or of the nearest above it that has one.
std::optional<Duration> of_queue(const Cluster& cluster, QueueId queue,
                                 std::optional<Duration> Queue::*what) {
  std::size_t above = 0;  // a chain of queues may be a ring
  for (QueueId at = queue; at.is_valid() && above <= cluster.queue_slots(); ++above) {
    const Queue& each = cluster.queue(at);
    if (each.*what) return each.*what;
    at = each.above;
  }
  return std::nullopt;
}

}  // namespace

// TIME-1, TIME-2
std::optional<TimeLimit> time_limit_of(const Cluster& cluster, const Task& task) {
  if (task.times.deadline) return TimeLimit{*task.times.deadline, true};
  std::optional<Duration> length = task.times.stated;
  if (!task.job.is_valid()) {
    return length ? std::optional(TimeLimit{*length, false}) : std::nullopt;
  }
  const Job& job = cluster.job(task.job);
  if (!length) length = job.time_limit;
  if (!length) length = of_queue(cluster, job.queue, &Queue::default_time_limit);
  const auto most = of_queue(cluster, job.queue, &Queue::max_time_limit);
  if (length && most) length = std::min(*length, *most);
  return length ? std::optional(TimeLimit{*length, false}) : std::nullopt;
}

// TIME-6
Duration longest_stay(const Cluster& cluster, const Task& task) {
  const std::optional<TimeLimit> limit = time_limit_of(cluster, task);
  if (!limit) return Duration::max();
  return std::max(sum_of(limit->length, task.times.grace), kStayLeast);
}

// TIME-4, TIME-5
TimePoint gone_by(const Cluster& cluster, const Task& task, TimePoint now) {
  if (task.status == TaskStatus::releasing)
    return later(now, std::max(task.times.grace, Duration(1)));
  const Duration stay = longest_stay(cluster, task);
  if (stay == Duration::max()) return TimePoint::max();
  const bool is_there = task.status == TaskStatus::bound || task.status == TaskStatus::running;
  TimePoint since = is_there ? std::max(task.started, task.scheduled_at) : now;
  if (since == TimePoint::min()) since = now;
  const TimePoint end = later(since, stay);
  if (end > now) return end;
  return later(now, std::max(kOverdueLeast, now - end));
}

}  // namespace berth
