#include "support/reclaim_laws.h"

#include <algorithm>
#include <map>
#include <set>

namespace berth::support {

namespace {

constexpr std::size_t kNowhere = ~std::size_t{0};

// The use of each queue, with all below it. All that the plan places, and all claims that it found,
// count from the beginning: a queue never has more than that.
class ReclaimCourt {
 public:
  ReclaimCourt(const Cluster& cluster, const Plan& plan, const LawBook& book)
      : cluster_(cluster), plan_(plan), book_(book), shares_(*plan.shares) {
    most_.assign(shares_.rows.size(), Resources());
    for (std::size_t row = 0; row < shares_.rows.size(); ++row) {
      const QueueId queue = shares_.rows[row].queue;
      if (queue.is_valid()) add(row, cluster.queue(queue).allocated, +1);
    }
    least_ = most_;
    // QUEUE-11. Idle room on nodes of a queue is the queue's.
    for (const QueueNodes& each : plan_.queue_nodes) {
      Resources idle;
      for (const NodeId node : each.nodes) {
        for (std::size_t d = 0; d < cluster_.dimensions().size(); ++d) {
          idle.add(Dimension(d), std::max<std::int64_t>(0, cluster_.idle().at(node, Dimension(d))));
        }
      }
      add(row_of_queue(each.queue), idle, +1);
    }
    std::set<TaskId> claimed;
    for (const Placement& each : plan.pipelined) claimed.insert(each.task);
    for (const Placement& each : plan.binds) claimed.insert(each.task);
    for (std::size_t j = 0; j < cluster.job_slots(); ++j) {
      for (const Claim& each : cluster.job(JobId(j)).claims) claimed.insert(each.task);
    }
    for (const TaskId id : claimed) add(row_of(id), cluster.shape_of(id).request, +1);
  }

  std::vector<std::string> judge() {
    const auto& all = plan_.evictions;
    for (auto first = all.begin(); first != all.end();) {
      const auto is_same_lot = [&](const PlannedEviction& each) {
        return first->as != EvictedAs::surplus && first->as != EvictedAs::lower_member &&
               each.as == first->as && each.beneficiary == first->beneficiary &&
               each.queue == first->queue &&
               cluster_.task(each.task).job == cluster_.task(first->task).job;
      };
      auto last = first + 1;
      while (last != all.end() && is_same_lot(*last)) ++last;
      std::vector<TaskId> tasks;
      for (auto each = first; each != last; ++each) tasks.push_back(each->task);
      if (first->action == "reclaim") judge_lot(*first, tasks);
      const bool is_unready =
          cluster_.job(cluster_.task(first->task).job).unready_since.has_value();
      if (first->action == "cleanup" && is_unready) judge_overused(*first);
      for (const TaskId id : tasks) add(row_of(id), cluster_.shape_of(id).request, -1);
      first = last;
    }
    judge_claimants();
    return std::move(faults_);
  }

 private:
  // --- rows -----------------------------------------------------------------------------------

  std::size_t row_of_queue(QueueId queue) const {
    for (std::size_t row = 0; row < shares_.rows.size(); ++row) {
      if (queue.is_valid() && shares_.rows[row].queue == queue) return row;
    }
    return kNowhere;
  }
  std::size_t row_of(TaskId id) const {
    const JobId job = cluster_.task(id).job;
    return job.is_valid() ? row_of_queue(cluster_.job(job).queue) : kNowhere;
  }

  void add(std::size_t row, const Resources& amount, int sign) {
    if (row == kNowhere) return;
    for (;; row = shares_.rows[row].parent) {
      sign > 0 ? most_[row] += amount : most_[row] -= amount;
      if (row == 0) return;
    }
  }

  std::vector<std::size_t> up_from(std::size_t row) const {
    std::vector<std::size_t> path;
    for (; row != 0 && row != kNowhere; row = shares_.rows[row].parent) path.push_back(row);
    return path;
  }

  // The rows from `row` up that are not above `other`.
  std::vector<std::size_t> below_the_fork(std::size_t row, std::size_t other) const {
    std::vector<std::size_t> path = up_from(row);
    const std::vector<std::size_t> others = up_from(other);
    std::erase_if(path, [&](std::size_t each) {
      return std::find(others.begin(), others.end(), each) != others.end();
    });
    return path;
  }

  std::int64_t deserved(std::size_t row, Dimension d) const {
    return shares_.at(shares_.deserved, row, d);
  }
  std::int64_t guarantee(std::size_t row, Dimension d) const {
    return shares_.at(shares_.guarantee, row, d);
  }

  // The amounts that the plan places of a job.
  Resources placed_of(JobId job) const {
    Resources sum;
    for (const auto* list : {&plan_.binds, &plan_.pipelined}) {
      for (const Placement& each : *list) {
        if (cluster_.task(each.task).job == job) sum += cluster_.shape_of(each.task).request;
      }
    }
    return sum;
  }

  // --- laws -----------------------------------------------------------------------------------

  // RECLAIM-3 to RECLAIM-5, for each queue up to where the paths part.
  void judge_lot(const PlannedEviction& first, const std::vector<TaskId>& tasks) {
    if (first.queue.is_valid()) return judge_lot_for_queue(first, tasks);
    const std::size_t own = row_of_queue(cluster_.job(first.beneficiary).queue);
    const std::size_t victims = row_of(first.task);
    if (own == kNowhere || victims == kNowhere) return accuse(first, "has no queue");
    if (own == victims) return accuse(first, "is of the same queue");
    const Resources asked = placed_of(first.beneficiary);
    bool is_reclaimable = true;
    for (const std::size_t row : below_the_fork(victims, own)) {
      const QueueId queue = shares_.rows[row].queue;
      is_reclaimable = is_reclaimable && queue.is_valid() && cluster_.queue(queue).is_reclaimable;
      judge_row(first, row, tasks, asked);
    }
    const bool is_lent = book_.has_elastic && first.as == EvictedAs::surplus;
    if (!is_reclaimable && !is_lent) accuse(first, "is of a queue that is not reclaimable");
  }

  // NODES-19
  void judge_lot_for_queue(const PlannedEviction& first, const std::vector<TaskId>& tasks) {
    const std::size_t own = row_of_queue(first.queue);
    const std::size_t victims = row_of(first.task);
    if (own == kNowhere || victims == kNowhere) return accuse(first, "has no queue");
    Resources amount;
    for (const TaskId id : tasks) amount += cluster_.shape_of(id).request;
    for (const std::size_t row : below_the_fork(victims, own)) {
      judge_guarantee(first, row, amount);
    }
  }

  void judge_guarantee(const PlannedEviction& first, std::size_t row, const Resources& amount) {
    for (std::size_t d = 0; d < amount.extent(); ++d) {
      const Dimension each(d);
      if (amount[each] > 0 && most_[row][each] - amount[each] < guarantee(row, each)) {
        accuse(first, "takes queue " + cluster_.queue(shares_.rows[row].queue).name +
                          " below its guarantee");
      }
    }
  }

  void judge_row(const PlannedEviction& first, std::size_t row, const std::vector<TaskId>& tasks,
                 const Resources& asked) {
    Resources amount;
    for (const TaskId id : tasks) amount += cluster_.shape_of(id).request;
    const auto is_beyond = [&](const Resources& gone) {
      for (std::size_t d = 0; d < asked.extent(); ++d) {
        const Dimension each(d);
        const bool counts = asked[each] > 0 && amount[each] > 0;
        if (counts && most_[row][each] - gone[each] > deserved(row, each)) return true;
      }
      return false;
    };
    const std::string& name = cluster_.queue(shares_.rows[row].queue).name;
    if (!is_beyond({})) accuse(first, "is of queue " + name + ", which is within its share");
    const bool may_be_last = std::any_of(tasks.begin(), tasks.end(), [&](TaskId last) {
      Resources others = amount;
      others -= cluster_.shape_of(last).request;
      return is_beyond(others);
    });
    if (!may_be_last && !is_due(first)) {
      accuse(first, "takes queue " + name + " below its share by more than one pod");
    }
    judge_guarantee(first, row, amount);
  }

  // The placed amount of the claimant is guaranteed to its queue, of some resource.
  bool is_due(const PlannedEviction& first) const {
    const Resources placed = placed_of(first.beneficiary);
    const std::size_t row = row_of_queue(cluster_.job(first.beneficiary).queue);
    for (std::size_t d = 0; d < placed.extent(); ++d) {
      const Dimension each(d);
      const std::int64_t has = least_[row][each] + placed[each];
      if (placed[each] > 0 && has <= guarantee(row, each)) return true;
    }
    return false;
  }

  void judge_overused(const PlannedEviction& first) {
    const std::size_t row = row_of(first.task);
    if (row == kNowhere) return accuse(first, "has no queue");
    for (std::size_t d = 0; d < shares_.dimensions; ++d) {
      if (most_[row][Dimension(d)] > deserved(row, Dimension(d))) return;
    }
    accuse(first, "is cleaned up in a queue within its share");
  }

  // RECLAIM-2. At least what it had, less all that leave, and what is placed of one claimant.
  void judge_claimants() {
    std::set<JobId> seen;
    std::map<std::size_t, Resources> left;
    for (const PlannedEviction& each : plan_.evictions) {
      for (const std::size_t row : up_from(row_of(each.task))) {
        left[row] += cluster_.shape_of(each.task).request;
      }
    }
    for (const PlannedEviction& each : plan_.evictions) {
      if (each.action != "reclaim" || !each.beneficiary.is_valid() ||
          !seen.insert(each.beneficiary).second)
        continue;
      const Job& job = cluster_.job(each.beneficiary);
      const std::size_t row = row_of_queue(job.queue);
      if (row == kNowhere) continue;
      // Its surplus may be placed later, on idle room.
      if (job.task_count() > job.min_available) continue;
      const Resources placed = placed_of(job.id);
      for (std::size_t d = 0; d < placed.extent(); ++d) {
        const Dimension dimension(d);
        const std::int64_t has = least_[row][dimension] - left[row][dimension] + placed[dimension];
        const std::int64_t entitled = std::max(deserved(row, dimension), guarantee(row, dimension));
        if (placed[dimension] > 0 && has > entitled) {
          accuse(each,
                 "leaves for a queue beyond its share of " + cluster_.dimensions().name(dimension));
        }
      }
    }
  }

  void accuse(const PlannedEviction& each, const std::string& what) {
    faults_.push_back("victim " + cluster_.task(each.task).name + " of " +
                      std::string(each.action) + " " + what);
  }

  const Cluster& cluster_;
  const Plan& plan_;
  const LawBook& book_;
  const QueueShares& shares_;
  std::vector<Resources> most_;   // at most this, once the victims so far have left
  std::vector<Resources> least_;  // before the plan
  std::vector<std::string> faults_;
};

}  // namespace

std::vector<std::string> broken_reclaim_laws(const Cluster& before, const Plan& plan,
                                             const LawBook& book) {
  bool concerns_queues = false;
  bool needs_shares = false;
  for (const PlannedEviction& each : plan.evictions) {
    // Jobs beyond their time limit leave without regard to shares (CLEANUP-6).
    const bool is_unready = before.job(before.task(each.task).job).unready_since.has_value();
    const bool is_between_queues =
        each.action == "reclaim" || (each.action == "cleanup" && is_unready);
    concerns_queues = concerns_queues || is_between_queues;
    needs_shares = needs_shares || (is_between_queues && !each.queue.is_valid());
  }
  if (!concerns_queues || (plan.shares == nullptr && !needs_shares)) return {};
  if (plan.shares == nullptr) return {"somebody is reclaimed from a queue without a share"};
  return ReclaimCourt(before, plan, book).judge();
}

}  // namespace berth::support
