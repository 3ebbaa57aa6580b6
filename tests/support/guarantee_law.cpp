#include "support/guarantee_law.h"

#include <algorithm>
#include <map>
#include <set>

#include "berth/engine/open_nodes.h"

namespace berth::support {

namespace {

// Guarantees in one dimension, before and after the placements of a plan. Evicted pods have left
// their queue in both.
class Guarantees {
 public:
  Guarantees(const Cluster& cluster, const Plan& plan, Dimension dimension)
      : cluster_(cluster), shares_(*plan.shares), d_(dimension), nodes_(cluster.node_count()) {
    for (std::size_t q = 0; q < cluster.queue_slots(); ++q) {
      has_[QueueId(q)] = cluster.queue(QueueId(q)).allocated[d_];
    }
    for (std::size_t n = 0; n < nodes_.size(); ++n) {
      const Node& node = cluster.node(NodeId(n));
      nodes_[n].is_closed = engine::is_closed(node);
      for (const TaskId task : node.tasks) {
        if (cluster.task(task).status == TaskStatus::releasing) nodes_[n].leaving += asked(task);
      }
    }
    total_ = shares_.real_capability[d_.index()];
    for (const PlannedEviction& each : plan.evictions) {
      if (!each.beneficiary.is_valid()) leave(each);
    }
  }

  void leave(const PlannedEviction& eviction) {
    if (const QueueId queue = queue_of(eviction.task); queue.is_valid()) {
      has_[queue] -= asked(eviction.task);
    }
    if (eviction.node.is_valid()) nodes_[eviction.node.index()].leaving += asked(eviction.task);
  }

  // The unmet guarantees without room.
  std::int64_t lacking() const {
    const Standing all = standing(0);
    return all.due == 0 ? 0 : std::max<std::int64_t>(0, all.due - (total_ - all.has));
  }

  // Room on a node that takes no more pods is part of the whole only once it is used (QUEUE-5); a
  // claim uses what another leaves first.
  void place(const Placement& placement, bool is_claim) {
    std::int64_t amount = asked(placement.task);
    has_[queue_of(placement.task)] += amount;
    OfNode& node = nodes_[placement.node.index()];
    if (!node.is_closed) return;
    const std::int64_t on_leaving = is_claim ? std::min(amount, node.leaving) : 0;
    node.leaving -= on_leaving;
    total_ += amount - on_leaving;
  }

 private:
  struct OfNode {
    bool is_closed = false;
    std::int64_t leaving = 0;
  };
  // Of a queue with all below it: what it has, and what it is due of guarantees.
  struct Standing {
    std::int64_t has = 0;
    std::int64_t due = 0;
  };

  Standing standing(std::size_t row) const {
    Standing all;
    std::int64_t below = 0;
    for (std::size_t child = row + 1; child < shares_.rows.size(); ++child) {
      if (shares_.rows[child].parent != row) continue;
      const Standing part = standing(child);
      all.has += part.has;
      below += part.due;
    }
    if (const QueueId id = shares_.rows[row].queue; id.is_valid()) all.has += has_.at(id);
    const std::int64_t kept = row == 0 ? 0 : shares_.at(shares_.kept, row, d_);
    all.due = std::max({std::int64_t{0}, kept - all.has, below});
    return all;
  }

  QueueId queue_of(TaskId task) const {
    const JobId job = cluster_.task(task).job;
    return job.is_valid() ? cluster_.job(job).queue : QueueId();
  }
  std::int64_t asked(TaskId task) const { return cluster_.shape_of(task).request[d_]; }

  const Cluster& cluster_;
  const QueueShares& shares_;
  const Dimension d_;
  std::map<QueueId, std::int64_t> has_;
  std::vector<OfNode> nodes_;
  std::int64_t total_ = 0;
};

}  // namespace

std::vector<std::string> broken_guarantees(const Cluster& before, const Plan& plan) {
  std::vector<std::string> faults;
  if (plan.shares == nullptr) return faults;
  for (std::size_t i = 0; i < plan.shares->dimensions; ++i) {
    const Dimension dimension(i);
    Guarantees guarantees(before, plan, dimension);
    std::int64_t lacked = guarantees.lacking();
    // CLAIM-11. Claimed room that others were evicted from was taken then.
    Guarantees with_claims(before, plan, dimension);
    for (const JobId id : before.claimants()) {
      if (!before.job(id).others_left_for_it) continue;
      for (const Claim& claim : before.job(id).claims) {
        with_claims.place({claim.task, claim.node}, true);
      }
    }
    lacked = std::max(lacked, with_claims.lacking());
    // Room that others leave for a job passes to it: no guarantee is worse off than before.
    for (const PlannedEviction& each : plan.evictions) {
      if (each.beneficiary.is_valid()) guarantees.leave(each);
    }
    for (const Placement& each : plan.binds) guarantees.place(each, false);
    for (const Placement& each : plan.pipelined) guarantees.place(each, true);
    if (guarantees.lacking() > lacked) {
      faults.push_back("what is guaranteed is given away: " + before.dimensions().name(dimension));
    }
  }
  return faults;
}

}  // namespace berth::support
