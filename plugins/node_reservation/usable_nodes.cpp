#include "plugins/node_reservation/usable_nodes.h"

#include <algorithm>

#include "berth/engine/fit.h"
#include "berth/engine/open_nodes.h"

namespace berth::plugins {

using namespace engine;

NodeUse::NodeUse(Session& session, const std::vector<QueueDemand>& demands,
                 const std::set<std::string>& tolerated_taints)
    : session_(session),
      cluster_(session.cluster()),
      demands_(demands),
      tolerated_taints_(tolerated_taints),
      queues_(demands.size()),
      takers_(cluster_.queue_slots()),
      in_flight_(cluster_.node_count()) {
  for (std::size_t q = 0; q < takers_.size(); ++q) {
    if (!cluster_.queue(QueueId(q)).exists) continue;
    for (std::uint32_t i = 0; i < demands.size(); ++i) {
      if (cluster_.is_below(QueueId(q), demands[i].queue)) takers_[q].push_back(i);
    }
  }
  read_tasks();
  read_claims();
}

void NodeUse::read_tasks() {
  for (std::size_t t = 0; t < cluster_.task_slots(); ++t) {
    const Task& task = cluster_.task(TaskId(t));
    if (task.uid.empty()) continue;
    const QueueId queue = cluster_.queue_of(task.job);
    const bool is_there = task.node.is_valid() && occupies_node(task.status);
    if (is_there && task.status == TaskStatus::binding) {
      in_flight_[task.node.index()].push_back(queue);
    }
    if (!queue.is_valid()) {
      if (is_there && task.never_leaves && !task.is_of_node) foreign_staying_.emplace_back(t);
      continue;
    }
    for (const std::uint32_t taker : takers_[queue.index()]) {
      OfQueue& of_queue = queues_[taker];
      if (is_there) of_queue.on_nodes.emplace_back(t);
      auto& shapes = of_queue.shapes;
      if (shapes.empty() || shapes.back() != task.shape) shapes.push_back(task.shape);
    }
  }
  for (OfQueue& each : queues_) {
    std::sort(each.shapes.begin(), each.shapes.end());
    each.shapes.erase(std::unique(each.shapes.begin(), each.shapes.end()), each.shapes.end());
  }
}

void NodeUse::read_claims() {
  for (const JobId id : cluster_.claimants()) {
    for (const Claim& claim : cluster_.job(id).claims) {
      in_flight_[claim.node.index()].push_back(cluster_.job(id).queue);
    }
  }
}

// NODES-6. Pods of others that are planned there, or claim it, are not refused: it is theirs yet.
bool NodeUse::is_taken(const QueueDemand& demand, NodeId node, QueueId owner) const {
  const Lock& lock = cluster_.node(node).lock;
  if (lock.is_foreign) return true;
  if (owner == demand.queue) {
    return lock.job.is_valid() && !cluster_.is_below(cluster_.queue_of(lock.job), demand.queue);
  }
  if (owner.is_valid() || lock.job.is_valid()) return true;
  const auto& others = in_flight_[node.index()];
  return std::any_of(others.begin(), others.end(),
                     [&](QueueId queue) { return !cluster_.is_below(queue, demand.queue); });
}

bool NodeUse::has_untolerated_taint(const Node& node) const {
  return std::any_of(node.taints.begin(), node.taints.end(), [&](const Taint& taint) {
    return taint.effect != TaintEffect::prefer_no_schedule &&
           !tolerated_taints_.contains(taint.key);
  });
}

// NODES-6. Vetoes end soon.
bool NodeUse::may_use(const OfQueue& queue, NodeId node) const {
  const Node& there = cluster_.node(node);
  if (queue.shapes.empty()) return !has_untolerated_taint(there);
  return std::any_of(queue.shapes.begin(), queue.shapes.end(), [&](ShapeId shape) {
    const Verdict verdict = may_run_on(session_, cluster_.shape(shape), node);
    return verdict || verdict.reason == Reason::vetoed ||
           (verdict.reason == Reason::taint_not_tolerated && !has_untolerated_taint(there));
  });
}

UsableNodes NodeUse::usable_for(std::size_t index, const std::vector<QueueId>& owners) const {
  const QueueDemand& demand = demands_[index];
  const OfQueue& queue = queues_[index];
  const std::size_t dimensions = demand.counts.size();
  UsableNodes usable;
  NodeChoices& choices = usable.choices;
  choices.dimensions = dimensions;
  std::vector<std::uint32_t> candidate_of(cluster_.node_count(), UINT32_MAX);
  for (std::size_t n = 0; n < cluster_.node_count(); ++n) {
    const NodeId node(n);
    const bool is_held = owners[n] == demand.queue;
    if (is_closed(cluster_.node(node))) {
      ++usable.closed;
    } else if (is_taken(demand, node, owners[n])) {
      ++usable.locked;
    } else if (demand.nodes > 0 && !has_some_of_each(cluster_, node, demand.counts)) {
      ++usable.without;  // NODES-1
    } else if (!(is_held && queue.shapes.empty()) && !may_use(queue, node)) {
      ++usable.unsuitable;
    } else {
      candidate_of[n] = static_cast<std::uint32_t>(usable.nodes.size());
      usable.nodes.push_back(node);
      choices.is_held.push_back(is_held ? 1 : 0);
      for (const Dimension d : demand.counts) {
        // NODES-7. Without evictions, what never leaves by itself stays.
        const AmountTable& stays = demand.evicts ? cluster_.of_nodes() : cluster_.staying();
        choices.gives.push_back(cluster_.allocatable().at(node, d) - stays.at(node, d));
        choices.own.push_back(0);
        choices.idle.push_back(std::max<std::int64_t>(0, cluster_.idle().at(node, d)));
      }
    }
  }
  const auto add = [&](const Task& task, std::vector<std::int64_t>& column, int sign) {
    const std::uint32_t candidate = candidate_of[task.node.index()];
    if (candidate == UINT32_MAX) return;
    for (std::size_t i = 0; i < dimensions; ++i) {
      column[candidate * dimensions + i] +=
          sign * cluster_.shape(task.shape).request[demand.counts[i]];
    }
  };
  for (const TaskId id : queue.on_nodes) {
    const Task& task = cluster_.task(id);
    add(task, choices.own, +1);
    if (!demand.evicts && task.never_leaves) add(task, choices.gives, +1);
  }
  if (demand.evicts) {
    for (const TaskId id : foreign_staying_) add(cluster_.task(id), choices.gives, -1);
  }
  for (std::int64_t& amount : choices.gives) amount = std::max<std::int64_t>(0, amount);
  return usable;
}

}  // namespace berth::plugins
