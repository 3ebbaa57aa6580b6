#include "support/laws.h"

#include <algorithm>
#include <map>
#include <set>

#include "engine/consistency.h"
#include "support/behind_law.h"
#include "support/claim_laws.h"
#include "support/eviction_laws.h"
#include "support/guarantee_law.h"
#include "support/lock_laws.h"
#include "support/near_law.h"
#include "support/queue_node_laws.h"

// The laws, checked in the slow and obvious way: from the tasks alone.

namespace berth::support {

namespace {

using Amounts = std::map<std::string, std::int64_t>;

bool tolerates(const Constraints& constraints, const std::string& key, const std::string& value,
               TaintEffect effect) {
  for (const Toleration& t : constraints.tolerations) {
    if (t.effect != TaintEffect::any && t.effect != effect) continue;
    if (t.exists && (t.key.empty() || t.key == key)) return true;
    if (!t.exists && t.key == key && !key.empty() && t.value == value) return true;
  }
  return false;
}

// Selector, cordon and taints. The tests of the plugin cover affinity and ports.
bool allows(const Constraints& constraints, const Node& node) {
  for (const auto& [label, value] : constraints.node_selector) {
    if (!node.labels.contains(label) || node.labels.at(label) != value) return false;
  }
  if (node.is_unschedulable &&
      !tolerates(constraints, "node.kubernetes.io/unschedulable", "", TaintEffect::no_schedule)) {
    return false;
  }
  return std::all_of(node.taints.begin(), node.taints.end(), [&](const Taint& taint) {
    return taint.effect == TaintEffect::prefer_no_schedule ||
           tolerates(constraints, taint.key, taint.value, taint.effect);
  });
}

class Court {
 public:
  Court(const Cluster& cluster, const Plan& plan, const LawBook& book)
      : cluster_(cluster),
        plan_(plan),
        book_(book),
        owners_(queues_of_nodes(cluster, plan)),
        free_(cluster.node_count()),
        placed_(cluster.job_slots(), 0) {
    for (std::size_t n = 0; n < cluster.node_count(); ++n) {
      const Resources& all = cluster.node(NodeId(n)).allocatable;
      for (std::size_t d = 0; d < all.extent(); ++d) free_[n][name(d)] = all[Dimension(d)];
    }
    for (std::size_t t = 0; t < cluster.task_slots(); ++t) {
      const Task& task = cluster.task(TaskId(t));
      if (task.uid.empty()) continue;
      if (task.node.is_valid() && occupies_node(task.status)) take(TaskId(t), task.node);
      const bool counts = is_allocated(task.status) || task.status == TaskStatus::succeeded;
      if (task.job.is_valid() && counts) ++placed_[task.job.index()];
    }
    for (const PlannedEviction& each : plan.evictions) {
      const JobId job = cluster.task(each.task).job;
      if (each.queue.is_valid() && job.is_valid()) --placed_[job.index()];
    }
    admitted_.insert(plan.admitted.begin(), plan.admitted.end());
  }

  std::vector<std::string> judge() {
    judge_binds();
    judge_gangs();
    if (!book_.has_proportion && !book_.has_elect) judge_rest();
    judge_reasons();
    judge_shares();
    return std::move(faults_);
  }

 private:
  std::string name(std::size_t dimension) const {
    return cluster_.dimensions().name(Dimension(dimension));
  }

  void take(TaskId task, NodeId node) {
    for (const auto& [dimension, amount] : cluster_.shape_of(task).requested) {
      free_[node.index()][name(dimension.index())] -= amount;
    }
  }

  bool is_admitted(JobId id) const {
    return !book_.has_enqueue || cluster_.job(id).is_admitted() || admitted_.contains(id);
  }

  bool may_be_served(const Job& job) const {
    return job.has_group && job.queue.is_valid() && takes_jobs(cluster_.queue(job.queue));
  }

  const Queue* queue_named(const std::string& wanted) const {
    for (std::size_t q = 0; q < cluster_.queue_slots(); ++q) {
      const Queue& queue = cluster_.queue(QueueId(q));
      if (queue.exists && queue.name == wanted) return &queue;
    }
    return nullptr;
  }

  // True for a leaf if it and all above it are open and without fault.
  bool takes_jobs(const Queue& leaf) const {
    for (std::size_t q = 0; q < cluster_.queue_slots(); ++q) {
      const Queue& queue = cluster_.queue(QueueId(q));
      if (queue.exists && queue.parent == leaf.name) return false;
    }
    std::set<std::string> seen;
    const Queue* queue = &leaf;
    while (true) {
      if (!seen.insert(queue->name).second || !queue->fault.empty()) return false;
      if (queue->state != QueueState::open) return false;
      for (const auto& [dimension, most] : queue->capability.entries()) {
        if (queue->guarantee[dimension] > most) return false;
      }
      if (queue->parent.empty() || queue->parent == "root") return true;
      queue = queue_named(queue->parent);
      if (queue == nullptr) return false;
    }
  }

  // Shares add up and keep to their bounds. Placed tasks stay within the maximum of their queue.
  void judge_shares() {
    if (plan_.shares == nullptr) return;
    const QueueShares& shares = *plan_.shares;
    std::map<QueueId, Resources> taken;
    for (const auto& list : {plan_.binds, plan_.pipelined}) {
      for (const auto& [id, node] : list) {
        taken[cluster_.job(cluster_.task(id).job).queue] += cluster_.shape_of(id).request;
      }
    }
    // Room that others leave for a job, and for which it holds claims, passes to it as it is.
    std::map<QueueId, Resources> claimed;
    for (const JobId id : cluster_.claimants()) {
      const Job& job = cluster_.job(id);
      if (!job.others_left_for_it) continue;
      for (const Claim& claim : job.claims)
        claimed[job.queue] += cluster_.shape_of(claim.task).request;
    }
    std::map<QueueId, Resources> left;
    for (const PlannedEviction& each : plan_.evictions) {
      left[cluster_.job(cluster_.task(each.task).job).queue] +=
          cluster_.shape_of(each.task).request;
    }
    for (std::size_t d = 0; d < shares.dimensions; ++d) {
      const Dimension dimension(d);
      std::vector<std::int64_t> sums(shares.rows.size(), 0);
      std::vector<std::int64_t> placed(shares.rows.size(), 0);
      std::vector<std::int64_t> had(shares.rows.size(), 0);
      std::vector<std::int64_t> gone(shares.rows.size(), 0);
      std::vector<std::int64_t> vacated(shares.rows.size(), 0);
      for (std::size_t row = shares.rows.size(); row-- > 1;) {
        const auto& [id, parent, is_scaled, fault] = shares.rows[row];
        const std::string who = "queue " + cluster_.queue(id).name + ": " + name(d);
        const std::int64_t deserved = shares.at(shares.deserved, row, dimension);
        const std::int64_t kept = shares.at(shares.kept, row, dimension);
        const std::int64_t most = shares.at(shares.real_capability, row, dimension);
        placed[row] += taken[id][dimension];
        had[row] += cluster_.queue(id).allocated[dimension];
        gone[row] += left[id][dimension];
        vacated[row] += claimed[id][dimension];
        if (deserved < kept) accuse(who + ": deserved is below what is kept for it");
        if (deserved > std::max(kept, most)) accuse(who + ": deserved is above its bounds");
        if (kept > shares.at(shares.guarantee, row, dimension)) accuse(who + ": keeps too much");
        const std::int64_t has = had[row] - gone[row] + placed[row];
        const bool passes = gone[row] > 0 || vacated[row] > 0;
        if (placed[row] > 0 && has > std::max(most, passes ? had[row] + vacated[row] : 0)) {
          accuse(who + ": placed beyond it");
        }
        sums[parent] += deserved;
        placed[parent] += placed[row];
        had[parent] += had[row];
        gone[parent] += gone[row];
        vacated[parent] += vacated[row];
      }
      for (std::size_t row = 0; row < shares.rows.size(); ++row) {
        if (sums[row] > shares.at(shares.deserved, row, dimension)) {
          accuse("row " + std::to_string(row) + ": children deserve more than their parent");
        }
      }
    }
  }

  void judge_binds() {
    std::set<TaskId> seen;
    for (const auto& list : {plan_.binds, plan_.pipelined}) {
      for (const auto& [id, node] : list) {
        const Task& task = cluster_.task(id);
        const std::string who = task.name + " on " + cluster_.node(node).name;
        if (!seen.insert(id).second) accuse(who + ": placed twice");
        if (task.status != TaskStatus::pending || task.is_gated) accuse(who + ": not placeable");
        if (!task.job.is_valid()) {
          accuse(who + ": not ours");
          continue;
        }
        if (!is_admitted(task.job)) accuse(who + ": its job is not admitted");
        if (!may_be_served(cluster_.job(task.job))) accuse(who + ": its job may not be served");
        if (book_.has_predicates &&
            !allows(cluster_.shape_of(id).constraints, cluster_.node(node))) {
          accuse(who + ": the node does not allow it");
        }
      }
    }
    for (const auto& [id, node] : plan_.binds) {
      take(id, node);
      ++placed_[cluster_.task(id).job.index()];
      taken_.insert(id);
      for (const auto& [dimension, amount] : cluster_.shape_of(id).requested) {
        if (free_[node.index()][name(dimension.index())] < 0) {
          accuse("node " + cluster_.node(node).name + " is over-allocated in " +
                 name(dimension.index()) + " by " + cluster_.task(id).name);
        }
      }
    }
    // A claim keeps others away, whatever its node. The laws below count its room as used.
    for (const auto& [id, node] : plan_.pipelined) {
      take(id, node);
      taken_.insert(id);
    }
    // One that was given up for a place elsewhere had kept others off until then.
    for (const auto& [id, node] : plan_.binds) {
      for (const Claim& claim : cluster_.job(cluster_.task(id).job).claims) {
        if (claim.task == id && claim.node != node) take(id, claim.node);
      }
    }
  }

  void judge_gangs() {
    if (!book_.has_gang) return;
    for (const auto& [id, node] : plan_.binds) {
      const JobId job_id = cluster_.task(id).job;
      const Job& job = cluster_.job(job_id);
      if (placed_[job_id.index()] < job.min_available) {
        accuse("gang " + job.name + " is partly bound: " + std::to_string(placed_[job_id.index()]) +
               " of " + std::to_string(job.min_available));
      }
    }
  }

  // True if an earlier job of its queue, which starts jobs in order, could start with more room.
  bool is_behind_another(const Job& job) const {
    if (!job.queue.is_valid() || !cluster_.queue(job.queue).is_fifo) return false;
    for (std::size_t j = 0; j < cluster_.job_slots(); ++j) {
      const Job& other = cluster_.job(JobId(j));
      const bool waits = other.exists && other.id != job.id && other.queue == job.queue &&
                         is_admitted(JobId(j)) && placed_[j] < other.min_available;
      if (waits) return true;
    }
    return false;
  }

  // No task that could be placed is left: no task of a started job and, if all tasks have one
  // shape, no whole minimum.
  void judge_rest() {
    for (std::size_t j = 0; j < cluster_.job_slots(); ++j) {
      const Job& job = cluster_.job(JobId(j));
      if (!job.exists || !is_admitted(JobId(j)) || !may_be_served(job)) continue;
      if (is_behind_another(job) || job.attempt != nullptr) continue;  // HINT-4, HINT-5
      if (must_be_near(job)) continue;
      std::set<ShapeId> shapes;
      std::int64_t left = 0;
      for (const TaskId id : job.tasks) {
        const Task& task = cluster_.task(id);
        if (task.status != TaskStatus::pending || task.is_gated || taken_.contains(id)) continue;
        ++left;
        shapes.insert(task.shape);
      }
      // A gang with minimums of roles may be refused for one of them.
      if (left == 0 || (book_.has_gang && job.role_minimum_total > 0)) continue;
      const std::int64_t missing = book_.has_gang ? std::max(job.min_available - placed_[j], 0) : 0;
      if (missing == 0) {
        for (const TaskId id : job.tasks) {
          const Task& task = cluster_.task(id);
          if (task.status != TaskStatus::pending || task.is_gated || taken_.contains(id)) continue;
          if (is_somebodys_task(task.shape) && capacity(task.shape, 1, job.queue) > 0) {
            accuse("job " + job.name + " has a task left that fits: " + task.name);
          }
        }
      } else if (shapes.size() == 1 && job.role_minimum_total == 0 && left >= missing &&
                 is_somebodys_task(*shapes.begin()) &&
                 capacity(*shapes.begin(), missing, job.queue) >= missing) {
        accuse("gang " + job.name + " could start on idle room");
      }
    }
  }

  bool is_somebodys_task(ShapeId id) const {
    const Shape& shape = cluster_.shape(id);
    if (shape.has_host_ports || shape.constraints.has_required_terms) return false;
    if (shape.terms.decide() || shape.has_volumes) return false;
    return shape.is_best_effort ? book_.has_backfill : book_.has_allocate;
  }

  static bool is_vetoed(const Shape& shape, const Node& node) {
    return std::any_of(node.vetoed.begin(), node.vetoed.end(),
                       [&](const auto& each) { return each.first == shape.lasting_key; });
  }

  std::int64_t capacity(ShapeId id, std::int64_t enough, QueueId queue) const {
    const Shape& shape = cluster_.shape(id);
    std::int64_t sum = 0;
    for (std::size_t n = 0; n < free_.size() && sum < enough; ++n) {
      if (book_.has_predicates && !allows(shape.constraints, cluster_.node(NodeId(n)))) continue;
      if (owners_[n].is_valid() && !is_of_queue(cluster_, queue, owners_[n])) continue;
      if (is_vetoed(shape, cluster_.node(NodeId(n)))) continue;
      std::int64_t here = enough;
      for (const auto& [dimension, amount] : shape.requested) {
        const auto found = free_[n].find(name(dimension.index()));
        const std::int64_t room = found == free_[n].end() ? 0 : found->second;
        here = std::min(here, std::max<std::int64_t>(room, 0) / amount);
      }
      sum += here;
    }
    return sum;
  }

  // Each waiting job has a reason, and at most one refusal.
  void judge_reasons() {
    std::set<JobId> refused;
    for (const Refusal& refusal : plan_.refusals) {
      if (!refused.insert(refusal.job).second) accuse("job refused twice");
    }
    for (std::size_t j = 0; j < cluster_.job_slots(); ++j) {
      const Job& job = cluster_.job(JobId(j));
      if (!job.exists || refused.contains(JobId(j))) continue;
      const bool waits = std::any_of(job.tasks.begin(), job.tasks.end(), [&](TaskId id) {
        const Task& task = cluster_.task(id);
        if (task.status != TaskStatus::pending || task.is_gated) return false;
        if (taken_.contains(id)) return false;
        return cluster_.shape(task.shape).is_best_effort ? book_.has_backfill : book_.has_allocate;
      });
      if (waits) accuse("job " + job.name + " waits without a reason");
    }
  }

  void accuse(std::string fault) { faults_.push_back(std::move(fault)); }

  const Cluster& cluster_;
  const Plan& plan_;
  const LawBook& book_;
  const std::vector<QueueId> owners_;  // by node
  std::vector<Amounts> free_;
  std::vector<std::int32_t> placed_;
  std::set<JobId> admitted_;
  std::set<TaskId> taken_;
  std::vector<std::string> faults_;
};

}  // namespace

std::vector<std::string> broken_laws(const Cluster& before, const Plan& plan, const LawBook& book,
                                     TimePoint now) {
  std::vector<std::string> faults = Court(before, plan, book).judge();
  for (std::string& fault : broken_lock_laws(before, plan, book))
    faults.push_back(std::move(fault));
  for (std::string& fault : broken_behind_laws(before, plan, now, book.limit_trust)) {
    faults.push_back(std::move(fault));
  }
  if (book.locks_by_ends) {
    for (std::string& fault : broken_soonest_laws(before, plan, now)) {
      faults.push_back(std::move(fault));
    }
  }
  for (std::string& fault : broken_queue_node_laws(before, plan, book)) {
    faults.push_back(std::move(fault));
  }
  for (std::string& fault : broken_claim_laws(before, plan)) faults.push_back(std::move(fault));
  for (std::string& fault : broken_near_laws(before, plan)) faults.push_back(std::move(fault));
  for (std::string& fault : broken_guarantees(before, plan)) faults.push_back(std::move(fault));
  for (std::string& fault : broken_eviction_laws(before, plan, book, now)) {
    faults.push_back(std::move(fault));
  }
  return faults;
}

}  // namespace berth::support
