#include "support/queue_node_laws.h"

#include <algorithm>
#include <map>
#include <set>

namespace berth::support {

namespace {

QueueId queue_named(const Cluster& cluster, const std::string& name) {
  for (std::size_t q = 0; q < cluster.queue_slots(); ++q) {
    const Queue& queue = cluster.queue(QueueId(q));
    if (queue.exists && queue.name == name) return QueueId(q);
  }
  return {};
}

class QueueNodeCourt {
 public:
  QueueNodeCourt(const Cluster& cluster, const Plan& plan, const LawBook& book)
      : cluster_(cluster), plan_(plan), book_(book), owners_(queues_of_nodes(cluster, plan)) {}

  std::vector<std::string> judge() {
    judge_locks();
    judge_placements();
    for (std::size_t i = 0; i < plan_.evictions.size(); ++i) judge_eviction(i);
    judge_needs();
    return std::move(faults_);
  }

 private:
  QueueId queue_of(TaskId task) const { return cluster_.queue_of(cluster_.task(task).job); }
  const std::string& name(NodeId node) const { return cluster_.node(node).name; }
  const std::string& name(QueueId queue) const { return cluster_.queue(queue).name; }

  void judge_locks() {
    std::set<NodeId> seen;
    for (const QueueNodes& each : plan_.queue_nodes) {
      const Queue& queue = cluster_.queue(each.queue);
      if (!queue.exists) accuse("a queue that is gone has nodes");
      if (!std::is_sorted(each.nodes.begin(), each.nodes.end())) {
        accuse("the nodes of queue " + queue.name + " are in no order");
      }
      for (const NodeId node : each.nodes) {
        if (!seen.insert(node).second) accuse(name(node) + " has two queues");
        if (cluster_.node(node).lock.is_foreign) accuse(name(node) + " is locked by others");
      }
    }
    if (!book_.has_node_reservation && !seen.empty()) accuse("nobody chooses nodes of queues");
    for (const Reservation& each : plan_.reservations) {
      for (const NodeId node : each.nodes) {
        const QueueId owner = owners_[node.index()];
        if (!owner.is_valid()) continue;
        if (!is_of_queue(cluster_, cluster_.job(each.job).queue, owner)) {
          accuse(name(node) + " of queue " + name(owner) + " is locked for " +
                 cluster_.job(each.job).name);
        }
      }
    }
  }

  void judge_placements() {
    for (const auto* placements : {&plan_.binds, &plan_.pipelined}) {
      for (const auto& [task, node] : *placements) {
        const QueueId owner = owners_[node.index()];
        if (!owner.is_valid() || is_of_queue(cluster_, queue_of(task), owner)) continue;
        accuse(cluster_.task(task).name + " is placed on " + name(node) + " of queue " +
               name(owner));
      }
    }
  }

  // NODES-17 to NODES-19.
  void judge_eviction(std::size_t index) {
    const PlannedEviction& each = plan_.evictions[index];
    const QueueId owner = owners_[each.node.index()];
    const std::string who = "victim " + cluster_.task(each.task).name;
    if (each.beneficiary.is_valid() && owner.is_valid() &&
        !is_of_queue(cluster_, cluster_.queue_of(each.beneficiary), owner)) {
      accuse(who + " leaves " + name(each.node) + " for a job that may not use it");
    }
    if (!each.queue.is_valid()) return;
    const Queue& queue = cluster_.queue(each.queue);
    if (each.beneficiary.is_valid()) accuse(who + " leaves for a job and a queue");
    if (each.action != "reclaim") accuse(who + " leaves for a queue by another action");
    if (!queue.guarantees_hard) accuse(who + " leaves for a queue that evicts nobody");
    if (is_of_queue(cluster_, queue_of(each.task), each.queue)) accuse(who + " is of that queue");
    if (each.as != EvictedAs::surplus && each.as != EvictedAs::whole_job) {
      accuse(who + " leaves as something else");
    }
    const bool is_whole = each.as == EvictedAs::whole_job;
    if (is_whole && !cluster_.queue(queue_of(each.task)).is_reclaimable) {
      accuse(who + " is of a queue that is not reclaimable");
    }
    const JobId job = cluster_.task(each.task).job;
    const bool is_there = std::any_of(
        plan_.evictions.begin(), plan_.evictions.end(), [&](const PlannedEviction& other) {
          const bool is_same =
              &other == &each || (is_whole && cluster_.task(other.task).job == job);
          return is_same && other.queue == each.queue && is_own(other.node, each.queue);
        });
    // Surplus of a job that leaves whole may be elsewhere.
    const bool is_of_a_whole = std::any_of(
        plan_.evictions.begin(), plan_.evictions.end(), [&](const PlannedEviction& other) {
          return cluster_.task(other.task).job == job && other.as == EvictedAs::whole_job;
        });
    if (!is_there && !is_of_a_whole) accuse(who + " is on no node of the queue");
  }

  bool is_own(NodeId node, QueueId queue) const {
    return owners_[node.index()].is_valid() && is_of_queue(cluster_, owners_[node.index()], queue);
  }

  // NODES-20. Without each lot, something is missing.
  void judge_needs() {
    std::map<std::pair<QueueId, JobId>, std::vector<const PlannedEviction*>> whole;
    std::set<JobId> gone;
    for (const PlannedEviction& each : plan_.evictions) {
      if (each.as != EvictedAs::whole_job) continue;
      const JobId job = cluster_.task(each.task).job;
      gone.insert(job);
      if (each.queue.is_valid()) whole[{each.queue, job}].push_back(&each);
    }
    for (const auto& [of, lot] : whole) judge_need(of.first, lot);
    for (const PlannedEviction& each : plan_.evictions) {
      const bool is_alone = each.as == EvictedAs::surplus;
      if (!each.queue.is_valid() || !is_alone || gone.contains(cluster_.task(each.task).job)) {
        continue;
      }
      judge_need(each.queue, {&each});
    }
  }

  // Idle room and use are those before the plan: nobody else is placed there. Evictions for queues
  // that come later do not count.
  void judge_need(QueueId queue, const std::vector<const PlannedEviction*>& lot) {
    const auto found =
        std::find_if(plan_.queue_reservations.begin(), plan_.queue_reservations.end(),
                     [&](const auto& each) { return each.queue == queue; });
    if (found == plan_.queue_reservations.end()) return accuse("pods leave for no reservation");
    for (const QueueReservation::Amount& each : found->amounts) {
      if (missing_without(queue, each, lot) > 0) return;
    }
    accuse("victim " + cluster_.task(lot.front()->task).name + " leaves for queue " + name(queue) +
           " without need");
  }

  std::int64_t missing_without(QueueId queue, const QueueReservation::Amount& asked,
                               const std::vector<const PlannedEviction*>& lot) const {
    const Dimension d = asked.dimension;
    std::int64_t missing = asked.asked;
    for (std::size_t n = 0; n < cluster_.node_count(); ++n) {
      const NodeId id(n);
      if (!is_own(id, queue)) continue;
      missing -= std::max<std::int64_t>(0, cluster_.idle().at(id, d));
      for (const TaskId task : cluster_.node(id).tasks) {
        const Task& there = cluster_.task(task);
        if (!occupies_node(there.status)) continue;
        const bool is_queues = there.job.is_valid() && is_of_queue(cluster_, queue_of(task), queue);
        const bool leaves = there.status == TaskStatus::releasing && !there.is_of_node;
        if (is_queues || leaves) missing -= cluster_.shape_of(task).request[d];
      }
    }
    for (const PlannedEviction& each : plan_.evictions) {
      if (&each > lot.back() && each.queue != queue) break;
      if (std::find(lot.begin(), lot.end(), &each) != lot.end()) continue;
      const bool is_queues = is_of_queue(cluster_, queue_of(each.task), queue);
      if (is_own(each.node, queue) && !is_queues)
        missing -= cluster_.shape_of(each.task).request[d];
    }
    return missing;
  }

  void accuse(std::string fault) { faults_.push_back(std::move(fault)); }

  const Cluster& cluster_;
  const Plan& plan_;
  const LawBook& book_;
  const std::vector<QueueId> owners_;
  std::vector<std::string> faults_;
};

}  // namespace

std::vector<QueueId> queues_of_nodes(const Cluster& before, const Plan& plan) {
  std::vector<QueueId> owners(before.node_count());
  for (const QueueNodes& each : plan.queue_nodes) {
    for (const NodeId node : each.nodes) owners[node.index()] = each.queue;
  }
  return owners;
}

bool is_of_queue(const Cluster& cluster, QueueId queue, QueueId above) {
  std::set<QueueId> seen;
  while (queue.is_valid() && seen.insert(queue).second) {
    if (queue == above) return true;
    queue = queue_named(cluster, cluster.queue(queue).parent);
  }
  return false;
}

std::vector<std::string> broken_queue_node_laws(const Cluster& before, const Plan& plan,
                                                const LawBook& book) {
  return QueueNodeCourt(before, plan, book).judge();
}

}  // namespace berth::support
