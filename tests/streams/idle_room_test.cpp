#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <map>
#include <optional>

#include "berth/model/node_match.h"
#include "streams/job_streams.h"

// Idle room over time, under the shipped configuration, by a naive count of cpu. After each session
// no job that waits fits into room that is neither claimed nor guaranteed; and where queues are
// beyond their shares, a job that is within its own waits no third session for what they could
// give. BERTH_SEED=<seed> plays one stream alone, BERTH_LAWS=<n> more.

namespace berth::support::idle_room_test {
namespace {

constexpr std::uint64_t kSeeds = 8;
constexpr Duration kLength = std::chrono::seconds(300);
constexpr std::uint64_t kVariedSeeds = 30;
constexpr Duration kVariedLength = std::chrono::seconds(100);
constexpr int kSessionsToComeBack = 2;

class Judge {
 public:
  void look(const Cluster& cluster, const Plan& plan, TimePoint now) {
    cluster_ = &cluster;
    plan_ = &plan;
    shares_ = plan.shares.get();
    now_ = now;
    if (!cluster.targets().empty()) return;
    count_idle();
    for (std::size_t j = 0; j < cluster.job_slots(); ++j) {
      const Job& job = cluster.job(JobId(j));
      if (!job.exists || job.unplaced_count() == 0 || !job.claims.empty()) {
        waits_.erase(job.id);
        continue;
      }
      if (cluster.queue(job.queue).is_fifo) continue;
      judge_idle_room(job);
      judge_entitled(job, plan);
    }
  }

  int looked = 0;  // at jobs that wait
  int entitled = 0;
  std::vector<std::string> faults;

 private:
  // --- queues -----------------------------------------------------------------------------------

  std::size_t row_of(QueueId queue) const {
    std::size_t row = 1;
    while (row < shares_->rows.size() && shares_->rows[row].queue != queue) ++row;
    return row;
  }
  std::int64_t has(std::size_t row) const {
    std::int64_t sum = 0;
    for (std::size_t each = 1; each < shares_->rows.size(); ++each) {
      if (is_below(each, row)) sum += cluster_->queue(shares_->rows[each].queue).allocated[kCpu];
    }
    // The session placed before it evicted, and promises count as use.
    const auto add = [&](TaskId id) {
      const std::size_t own = row_of(cluster_->queue_of(cluster_->task(id).job));
      if (is_below(own, row)) sum += cluster_->shape_of(id).request[kCpu];
    };
    for (const PlannedEviction& each : plan_->evictions) add(each.task);
    for (const Placement& each : plan_->pipelined) add(each.task);
    return sum;
  }
  bool is_below(std::size_t row, std::size_t above) const {
    while (row != above && row != 0) row = shares_->rows[row].parent;
    return row == above;
  }
  std::int64_t amount(const QueueShares::Amounts& of, std::size_t row) const {
    return shares_->at(of, row, kCpu);
  }
  template <class Holds>
  bool up(std::size_t row, const Holds& holds) const {
    for (; row != 0; row = shares_->rows[row].parent) {
      if (!holds(row)) return false;
    }
    return true;
  }
  bool is_reclaimable(QueueId queue) const {
    return up(row_of(queue), [&](std::size_t row) {
      return cluster_->queue(shares_->rows[row].queue).is_reclaimable;
    });
  }
  std::int64_t due_to_others(std::size_t row) const {
    std::int64_t sum = 0;
    for (std::size_t each = 1; each < shares_->rows.size(); ++each) {
      if (is_below(row, each)) continue;
      sum += std::max<std::int64_t>(0, amount(shares_->kept, each) - has(each));
    }
    return sum;
  }

  // --- room -------------------------------------------------------------------------------------

  void count_idle() {
    idle_.clear();
    for (std::size_t n = 0; n < cluster_->node_count(); ++n) {
      idle_.push_back(cluster_->idle().at(NodeId(n), kCpu));
    }
    for (std::size_t j = 0; j < cluster_->job_slots(); ++j) {
      for (const Claim& claim : cluster_->job(JobId(j)).claims) {
        idle_[claim.node.index()] -= cluster_->shape_of(claim.task).request[kCpu];
      }
    }
  }

  // The pods that it lacks, the smallest first; of a job that has its minimum, one.
  std::vector<TaskId> lacks(const Job& job) const {
    std::vector<TaskId> tasks;
    for (const TaskId id : job.tasks) {
      if (cluster_->task(id).status == TaskStatus::pending) tasks.push_back(id);
    }
    const auto size = [&](TaskId id) { return cluster_->shape_of(id).request[kCpu]; };
    std::stable_sort(tasks.begin(), tasks.end(),
                     [&](TaskId left, TaskId right) { return size(left) < size(right); });
    const auto count =
        static_cast<std::size_t>(std::max(1, job.min_available - job.placed_count()));
    if (count > tasks.size()) return {};
    tasks.resize(count);
    return tasks;
  }
  std::int64_t sum_of(const std::vector<TaskId>& tasks) const {
    std::int64_t sum = 0;
    for (const TaskId id : tasks) sum += cluster_->shape_of(id).request[kCpu];
    return sum;
  }

  bool fit(const std::vector<TaskId>& tasks, std::vector<std::int64_t> idle) const {
    return std::all_of(tasks.rbegin(), tasks.rend(), [&](TaskId id) {
      const Shape& shape = cluster_->shape_of(id);
      std::size_t best = idle.size();
      for (std::size_t n = 0; n < idle.size(); ++n) {
        if (!has_labels(cluster_->node(NodeId(n)), shape.constraints.node_selector)) continue;
        if (idle[n] < shape.request[kCpu]) continue;
        if (best == idle.size() || idle[n] < idle[best]) best = n;
      }
      if (best == idle.size()) return false;
      idle[best] -= shape.request[kCpu];
      return true;
    });
  }

  // --- laws -------------------------------------------------------------------------------------

  // The first law.
  void judge_idle_room(const Job& job) {
    const std::vector<TaskId> tasks = lacks(job);
    if (tasks.empty()) return;
    ++looked;
    const bool has_minimum = job.placed_count() >= job.min_available;
    const std::size_t row = row_of(job.queue);
    const std::int64_t own = has_minimum ? 0 : job.allocated[kCpu];
    const bool is_within = has(row) - own < amount(shares_->deserved, row);
    const std::vector<TaskId>& all = has_minimum ? tasks : job.tasks;
    const bool may_leave = std::all_of(all.begin(), all.end(), [&](TaskId id) {
      return cluster_->task(id).is_preemptable && !cluster_->task(id).cools_down;
    });
    const bool may_borrow = may_leave && (has_minimum || is_reclaimable(job.queue));
    if (!is_within && !may_borrow) return;
    const std::int64_t need = sum_of(tasks);
    const bool is_capable = up(row, [&](std::size_t each) {
      return has(each) + need <= amount(shares_->real_capability, each);
    });
    const std::int64_t left = amount(shares_->real_capability, 0) - has(0) - due_to_others(row);
    if (!is_capable || need > left || !fit(tasks, idle_)) return;
    faults.push_back(job.name + " fits into idle room " + (is_within ? "within" : "beyond") +
                     " its share at " + text_of_now() + ", and waits: " + why(job));
  }

  // The second law.
  void judge_entitled(const Job& job, const Plan& plan) {
    int& sessions = waits_[job.id];
    const std::vector<TaskId> tasks = lacks(job);
    const bool is_limited = std::any_of(plan.considered.begin(), plan.considered.end(),
                                        [&](const ConsideredEvictions& each) {
                                          return each.job == job.id && each.action == "reclaim" &&
                                                 each.why.reason != Reason::not_enough_leave &&
                                                 each.why.reason != Reason::nobody_may_leave;
                                        });
    const bool never = std::any_of(tasks.begin(), tasks.end(),
                                   [&](TaskId id) { return cluster_->task(id).never_preempts; });
    if (tasks.empty() || never || is_limited || job.placed_count() >= job.min_available ||
        !is_entitled(job, sum_of(tasks)) || !would_fit_without_others(job, tasks)) {
      sessions = 0;
      return;
    }
    ++entitled;
    if (++sessions <= kSessionsToComeBack) return;
    std::string text = job.name + " is within its share, waits for what is beyond others' at " +
                       text_of_now() + ": " + why(job);
    for (const ConsideredEvictions& each : plan.considered) {
      if (each.job == job.id) text += "; " + std::string(each.action) + " " + sentence(each.why);
    }
    faults.push_back(std::move(text));
  }

  bool is_entitled(const Job& job, std::int64_t need) const {
    return up(row_of(job.queue), [&](std::size_t row) {
      return has(row) + need <=
             std::max(amount(shares_->deserved, row), amount(shares_->guarantee, row));
    });
  }

  // Whole jobs leave, the last first, as long as their queues keep what they deserve.
  bool would_fit_without_others(const Job& job, const std::vector<TaskId>& tasks) const {
    std::vector<std::int64_t> idle = idle_;
    std::map<std::size_t, std::int64_t> gone;  // by row
    std::int64_t all_gone = 0;
    for (std::size_t j = cluster_->job_slots(); j-- > 0;) {
      const Job& other = cluster_->job(JobId(j));
      if (!other.exists || other.queue == job.queue || !is_reclaimable(other.queue)) continue;
      std::int64_t sum = 0;
      const bool may_leave = std::all_of(other.tasks.begin(), other.tasks.end(), [&](TaskId id) {
        const Task& task = cluster_->task(id);
        if (task.node.is_valid()) sum += cluster_->shape_of(id).request[kCpu];
        const bool runs = task.status == TaskStatus::running || task.status == TaskStatus::bound;
        return !task.node.is_valid() ||
               (runs && task.is_preemptable && task.cooldown_until <= now_);
      });
      const std::size_t own = row_of(job.queue);
      const bool stay = up(row_of(other.queue), [&](std::size_t row) {
        return is_below(own, row) ||
               has(row) - gone[row] - sum >=
                   std::max(amount(shares_->deserved, row), amount(shares_->guarantee, row));
      });
      if (sum == 0 || !may_leave || !stay) continue;
      all_gone += sum;
      (void)up(row_of(other.queue), [&](std::size_t row) {
        gone[row] += sum;
        return true;
      });
      for (const TaskId id : other.tasks) {
        const NodeId node = cluster_->task(id).node;
        if (node.is_valid()) idle[node.index()] += cluster_->shape_of(id).request[kCpu];
      }
    }
    const std::int64_t left = amount(shares_->real_capability, 0) - has(0) + all_gone;
    return sum_of(tasks) <= left - due_to_others(row_of(job.queue)) && fit(tasks, idle);
  }

  std::string why(const Job& job) const {
    for (const Refusal& refusal : plan_->refusals) {
      if (refusal.job == job.id) return refusal.message("a pod");
    }
    return "no reason";
  }

  std::string text_of_now() const {
    return std::to_string(
               std::chrono::duration_cast<std::chrono::seconds>(now_.time_since_epoch()).count()) +
           " s";
  }

  const Cluster* cluster_ = nullptr;
  const Plan* plan_ = nullptr;
  const QueueShares* shares_ = nullptr;
  TimePoint now_;
  std::vector<std::int64_t> idle_;
  std::map<JobId, int> waits_;  // sessions in which others could have given it room
};

void check(StreamKind kind, std::uint64_t count, Duration length) {
  const conf::Config config = shipped_config();
  const std::vector<std::uint64_t> all = seeds(count);
  int looked = 0;
  int entitled = 0;
  for (const std::uint64_t seed : all) {
    Judge judge;
    const StreamOutcome outcome = play_stream(
        config, seed, length, kind, [&](const Cluster& cluster, const Plan& plan, TimePoint now) {
          judge.look(cluster, plan, now);
        });
    for (const std::string& fault : judge.faults) {
      ADD_FAILURE() << "BERTH_SEED=" << seed << " " << fault;
    }
    looked += judge.looked;
    entitled += judge.entitled;
  }
  std::printf("%d times a job waited; %d times others could have left for it\n", looked, entitled);
  EXPECT_GT(looked, 0);
  if (all.size() > 1 && kind == StreamKind::plain) {
    EXPECT_GT(entitled, 0);
  }
}

TEST(IdleRoom, NoneThatSomebodyMayUse) { check(StreamKind::plain, kSeeds, kLength); }

TEST(IdleRoom, NoneWithLimitsOfQueuesAndPods) {
  check(StreamKind::varied, kVariedSeeds, kVariedLength);
}

}  // namespace
}  // namespace berth::support::idle_room_test
