#include "support/eviction_limit_laws.h"

#include <algorithm>
#include <limits>
#include <map>

#include "support/eviction_laws.h"

namespace berth::support {

namespace {

// Invalid: the whole cluster.
using Counts = std::map<QueueId, std::int64_t>;

class LimitCourt {
 public:
  LimitCourt(const Cluster& cluster, const Plan& plan, const LawBook& book, TimePoint now)
      : cluster_(cluster), plan_(plan), book_(book), now_(now) {}

  std::vector<std::string> judge() {
    for (std::size_t t = 0; t < cluster_.task_slots(); ++t) {
      const Task& task = cluster_.task(TaskId(t));
      if (task.job.is_valid() && runs(task)) add(running_, queue_of(task), 1);
    }
    for (const auto& each : cluster_.recent_evictions().entries()) {
      if (now_ - each.at < std::chrono::minutes(1)) add(used_, each.queue, each.pods);
    }
    for (std::size_t first = 0, end = 0; first < plan_.evictions.size(); first = end) {
      while (end < plan_.evictions.size() && is_with(first, end)) ++end;
      judge_set(first, end);
    }
    for (const PlannedEviction& each : plan_.evictions) judge_run_time(each);
    return std::move(faults_);
  }

 private:
  QueueId queue_of(const Task& task) const { return cluster_.queue_of(task.job); }

  static void add(Counts& counts, QueueId queue, std::int64_t pods) {
    counts[QueueId()] += pods;
    if (queue.is_valid()) counts[queue] += pods;
  }

  bool is_with(std::size_t first, std::size_t other) const {
    const PlannedEviction& left = plan_.evictions[first];
    const PlannedEviction& right = plan_.evictions[other];
    return left.action == right.action && left.beneficiary == right.beneficiary;
  }

  std::int64_t most(QueueId queue) {
    const engine::EvictionLimit& limit =
        queue.is_valid() ? book_.eviction_limits.queue : book_.eviction_limits.cluster;
    if (limit.percent == 100) return std::numeric_limits<std::int64_t>::max();
    return std::max(limit.pods, running_[queue] * limit.percent / 100);
  }

  void judge_set(std::size_t first, std::size_t end) {
    Counts set;
    for (std::size_t i = first; i < end; ++i) {
      add(set, queue_of(cluster_.task(plan_.evictions[i].task)), 1);
    }
    // Pods that leave for no job leave one by one. Others may have left for a job already.
    const JobId beneficiary = plan_.evictions[first].beneficiary;
    const bool is_for_a_job = beneficiary.is_valid() && cluster_.job(beneficiary).claims.empty();
    for (const auto& [queue, pods] : set) {
      const bool is_over = used_[queue] > 0 && pods > most(queue) - used_[queue];
      if (is_for_a_job && is_over) {
        faults_.push_back("victim " + cluster_.task(plan_.evictions[first].task).name +
                          " and others are " + std::to_string(pods) + " more than " +
                          std::to_string(used_[queue]) + " in this minute, of " +
                          std::to_string(most(queue)));
      }
      used_[queue] += pods;
    }
  }

  Duration time_of(const PlannedEviction& each) const {
    const bool preempts = each.action == "preempt";
    const Duration of_all = preempts ? book_.preempt_min_run_time : book_.reclaim_min_run_time;
    for (QueueId at = queue_of(cluster_.task(each.task)); at.is_valid();) {
      const Queue& queue = cluster_.queue(at);
      const auto& own = preempts ? queue.preempt_min_run_time : queue.reclaim_min_run_time;
      if (own) return std::max(*own, of_all);
      at = queue.above;
    }
    return of_all;
  }

  // So many of its pods must have run for that time as it needs, or has.
  void judge_run_time(const PlannedEviction& each) {
    if (each.as != EvictedAs::whole_job || each.action == "shuffle") return;
    const Duration time = time_of(each);
    if (time == Duration(0)) return;
    const Job& job = cluster_.job(cluster_.task(each.task).job);
    std::int32_t there = 0;
    std::int32_t old = 0;
    for (const TaskId id : job.tasks) {
      const Task& task = cluster_.task(id);
      if (!runs(task)) continue;
      ++there;
      if (now_ - task.scheduled_at >= time) ++old;
    }
    if (old < std::min(there, job.min_available - job.count(TaskStatus::succeeded))) {
      faults_.push_back("victim " + cluster_.task(each.task).name + " leaves with its job, that " +
                        "has not run for its minimum run time");
    }
  }

  const Cluster& cluster_;
  const Plan& plan_;
  const LawBook& book_;
  const TimePoint now_;
  Counts running_;
  Counts used_;
  std::vector<std::string> faults_;
};

}  // namespace

std::vector<std::string> broken_eviction_limits(const Cluster& before, const Plan& plan,
                                                const LawBook& book, TimePoint now) {
  return LimitCourt(before, plan, book, now).judge();
}

}  // namespace berth::support
