#include "berth/engine/eviction_limits.h"

#include <algorithm>
#include <utility>

namespace berth::engine {

namespace {

// LIMIT-1
std::int64_t most_of(const EvictionLimit& limit, std::int64_t running) {
  if (limit.percent >= 100) return std::numeric_limits<std::int64_t>::max();
  return std::max(limit.pods, running * limit.percent / 100);
}

}  // namespace

void EvictionAllowance::count() {
  if (std::exchange(is_counted_, true)) return;
  std::vector<std::int64_t> running(cluster_.queue_slots(), 0);
  std::int64_t all = 0;
  for (std::size_t j = 0; j < cluster_.job_slots(); ++j) {
    const Job& job = cluster_.job(JobId(j));
    const std::int64_t pods = job.count(TaskStatus::bound) + job.count(TaskStatus::running);
    all += pods;
    if (job.queue.is_valid()) running[job.queue.index()] += pods;
  }
  of_cluster_.most = most_of(limits_.cluster, all);
  of_queues_.resize(running.size());
  for (std::size_t q = 0; q < running.size(); ++q) {
    of_queues_[q].most = most_of(limits_.queue, running[q]);
  }
  for (const RecentEvictions::Entry& each : cluster_.recent_evictions().entries()) {
    if (!RecentEvictions::counts(each, now_)) continue;
    of_cluster_.used += each.pods;
    if (each.queue.is_valid()) use_of(each.queue).used += each.pods;
  }
}

Verdict EvictionAllowance::of_cluster() {
  count();
  if (is_lifted_ || !of_cluster_.is_used_up()) return pass();
  return refuse(reject(Reason::eviction_limit, 0, of_cluster_.most));
}

Verdict EvictionAllowance::of_queue(QueueId queue) {
  count();
  if (is_lifted_) return pass();
  const bool is_of_queue = queue.is_valid() && use_of(queue).is_used_up();
  if (!is_of_queue && !of_cluster_.is_used_up()) return pass();
  most_of_refused_ = is_of_queue ? use_of(queue).most : of_cluster_.most;
  return refuse(reject(Reason::evictions_used_up));
}

Verdict EvictionAllowance::of_queues() const {
  return reject(Reason::eviction_limit, 0, most_of_refused_,
                of_cluster_.is_used_up() ? "" : " of a queue");
}

// LIMIT-2. Closes the limits in the way.
Verdict EvictionAllowance::check(std::int64_t all,
                                 const std::map<QueueId, std::int64_t>& by_queue) {
  if (!of_cluster_.allows(all)) {
    of_cluster_.is_closed = true;
    return reject(Reason::evictions_beyond_limit, all, of_cluster_.most);
  }
  Verdict verdict = pass();
  for (const auto& [queue, number] : by_queue) {
    Use& use = use_of(queue);
    if (use.allows(number)) continue;
    use.is_closed = true;
    if (verdict) verdict = reject(Reason::evictions_beyond_limit, number, use.most, " of a queue");
  }
  return verdict;
}

Verdict EvictionAllowance::take(std::span<const TaskId> pods) {
  count();
  const auto all = static_cast<std::int64_t>(pods.size());
  std::map<QueueId, std::int64_t> by_queue;
  for (const TaskId id : pods) {
    if (const QueueId queue = cluster_.queue_of(cluster_.task(id).job); queue.is_valid()) {
      ++by_queue[queue];
    }
  }
  const Verdict verdict = is_lifted_ ? pass() : check(all, by_queue);
  if (!verdict) return refuse(verdict);
  of_cluster_.used += all;
  for (const auto& [queue, number] : by_queue) use_of(queue).used += number;
  return pass();
}

Verdict EvictionAllowance::refuse(const Verdict& why) {
  if (answers_hold_until_ != TimePoint::max()) return why;
  TimePoint first = now_;
  for (const RecentEvictions::Entry& each : cluster_.recent_evictions().entries()) {
    if (each.pods > 0 && RecentEvictions::counts(each, now_)) first = std::min(first, each.at);
  }
  answers_hold_until_ = first + RecentEvictions::kMinute;
  return why;
}

}  // namespace berth::engine
