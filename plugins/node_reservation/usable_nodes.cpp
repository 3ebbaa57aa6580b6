#include "plugins/node_reservation/usable_nodes.h"

#include <algorithm>

#include "berth/base/look_up.h"
#include "berth/engine/fit.h"
#include "berth/engine/open_nodes.h"

namespace berth::plugins {

using namespace engine;

namespace {

bool gives_as_much(const NodeChoices& left, const NodeChoices& right, std::size_t candidate) {
  const auto at = std::ptrdiff_t(candidate * left.dimensions);
  return std::equal(left.gives.begin() + at,
                    left.gives.begin() + at + std::ptrdiff_t(left.dimensions),
                    right.gives.begin() + at);
}

// Asks for each candidate in turn, and leaves out the others.
template <class IsKept>
void keep(UsableNodes& usable, const IsKept& is_kept) {
  NodeChoices& choices = usable.choices;
  const std::size_t dimensions = choices.dimensions;
  std::size_t kept = 0;
  for (std::size_t c = 0; c < usable.nodes.size(); ++c) {
    if (!is_kept(c)) continue;
    usable.nodes[kept] = usable.nodes[c];
    choices.is_held[kept] = choices.is_held[c];
    for (auto* column : {&choices.gives, &choices.own, &choices.idle}) {
      std::copy_n(column->begin() + std::ptrdiff_t(c * dimensions), dimensions,
                  column->begin() + std::ptrdiff_t(kept * dimensions));
    }
    ++kept;
  }
  usable.nodes.resize(kept);
  choices.is_held.resize(kept);
  for (auto* column : {&choices.gives, &choices.own, &choices.idle}) {
    column->resize(kept * dimensions);
  }
}

}  // namespace

NodeUse::NodeUse(Session& session, const std::vector<QueueDemand>& demands,
                 const std::set<std::string>& tolerated_taints)
    : session_(session),
      cluster_(session.cluster()),
      demands_(demands),
      tolerated_taints_(tolerated_taints),
      queues_(demands.size()),
      takers_(cluster_.queue_slots()),
      staying_(session),
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
    if (!queue.is_valid()) continue;
    for (const std::uint32_t taker : takers_[queue.index()]) {
      OfQueue& of_queue = queues_[taker];
      if (is_there) of_queue.on_nodes.emplace_back(t);
      auto& shapes = of_queue.shapes;
      if (shapes.empty() || shapes.back() != task.shape) shapes.push_back(task.shape);
    }
  }
  for (OfQueue& each : queues_) keep_unlike(each.shapes);
}

// Of shapes with the same constraints, one: the request does not say where a pod may run.
void NodeUse::keep_unlike(std::vector<ShapeId>& shapes) const {
  sort_once(shapes);
  std::set<std::string> known;
  std::erase_if(shapes, [&](ShapeId shape) {
    return !known.insert(shape_key({}, cluster_.shape(shape).constraints)).second;
  });
}

void NodeUse::read_claims() {
  for (const JobId id : cluster_.claimants()) {
    for (const Claim& claim : cluster_.job(id).claims) {
      in_flight_[claim.node.index()].push_back(cluster_.job(id).queue);
    }
  }
}

// NODES-6
bool NodeUse::is_locked(const QueueDemand& demand, NodeId node, QueueId owner) const {
  const Lock& lock = cluster_.node(node).lock;
  if (lock.is_foreign) return true;
  if (owner == demand.queue) {
    return lock.job.is_valid() && !cluster_.is_below(cluster_.queue_of(lock.job), demand.queue);
  }
  // A queue may take a node of a queue above it, whose demand it then counts to (NODES-4).
  const bool is_of_others = owner.is_valid() && !cluster_.is_below(demand.queue, owner);
  return is_of_others || lock.job.is_valid();
}

// NODES-6. Pods of others that are planned there, or claim it, keep their places.
bool NodeUse::is_claimed(const QueueDemand& demand, NodeId node, QueueId owner) const {
  if (owner == demand.queue) return false;
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

// NODES-6. Vetoes end soon. A node that the queue has is not lost because its present pods select
// others.
bool NodeUse::may_use(const OfQueue& queue, NodeId node, bool is_held) const {
  const Node& there = cluster_.node(node);
  if (queue.shapes.empty()) return is_held || !has_untolerated_taint(there);
  return std::any_of(queue.shapes.begin(), queue.shapes.end(), [&](ShapeId shape) {
    const Verdict verdict = may_run_on(session_, cluster_.shape(shape), node);
    if (verdict || verdict.reason == Reason::vetoed) return true;
    if (verdict.reason == Reason::taint_not_tolerated) return !has_untolerated_taint(there);
    return is_held && verdict.reason != Reason::node_unschedulable;
  });
}

UsableNodes NodeUse::usable_for(std::size_t index, const std::vector<QueueId>& owners,
                                StayingPods::Count staying) const {
  using Count = StayingPods::Count;
  const QueueDemand& demand = demands_[index];
  const Count counted = staying == Count::all ? Count::now : staying;
  UsableNodes usable = nodes_for(index, owners, counted);
  if (staying == Count::all) {
    const NodeChoices there = nodes_for(index, owners, Count::all).choices;
    keep(usable, [&](std::size_t candidate) {
      return there.is_held[candidate] != 0 || gives_as_much(there, usable.choices, candidate);
    });
  }
  if (demand.nodes > 0) keep_whole_nodes(demand, counted, usable);
  for (std::int64_t& amount : usable.choices.gives) amount = std::max<std::int64_t>(0, amount);
  return usable;
}

UsableNodes NodeUse::nodes_for(std::size_t index, const std::vector<QueueId>& owners,
                               StayingPods::Count staying) const {
  const QueueDemand& demand = demands_[index];
  const OfQueue& queue = queues_[index];
  UsableNodes usable;
  usable.choices.dimensions = demand.counts.size();
  for (std::size_t n = 0; n < cluster_.node_count(); ++n) {
    const NodeId node(n);
    const bool is_held = owners[n] == demand.queue;
    if (is_closed(cluster_.node(node))) {
      ++usable.closed;
    } else if (is_locked(demand, node, owners[n])) {
      ++usable.locked;
    } else if (is_claimed(demand, node, owners[n])) {
      ++usable.claimed;
    } else if (demand.nodes > 0 && !has_some_of_each(cluster_, node, demand.counts)) {
      ++usable.without;  // NODES-1
    } else if (!may_use(queue, node, is_held)) {
      ++usable.unsuitable;
    } else {
      usable.nodes.push_back(node);
      usable.choices.is_held.push_back(is_held ? 1 : 0);
      add_node(demand, node, staying, usable.choices);
    }
  }
  add_own(demand, queue, staying, usable);
  return usable;
}

// NODES-7
void NodeUse::add_node(const QueueDemand& demand, NodeId node, StayingPods::Count staying,
                       NodeChoices& choices) const {
  const AmountTable& stays = staying_.on_nodes(demand.evicts, staying);
  for (const Dimension d : demand.counts) {
    choices.gives.push_back(cluster_.allocatable().at(node, d) - stays.at(node, d));
    choices.own.push_back(0);
    choices.idle.push_back(std::max<std::int64_t>(0, cluster_.idle().at(node, d)));
  }
}

// The use of its own pods is its, even if they stay.
void NodeUse::add_own(const QueueDemand& demand, const OfQueue& queue, StayingPods::Count staying,
                      UsableNodes& usable) const {
  NodeChoices& choices = usable.choices;
  std::vector<std::uint32_t> candidate_of(cluster_.node_count(), UINT32_MAX);
  for (std::uint32_t i = 0; i < usable.nodes.size(); ++i) {
    candidate_of[usable.nodes[i].index()] = i;
  }
  for (const TaskId id : queue.on_nodes) {
    const Task& task = cluster_.task(id);
    const std::uint32_t candidate = candidate_of[task.node.index()];
    if (candidate == UINT32_MAX) continue;
    const bool stays = staying_.stays(id, demand.evicts, staying);
    for (std::size_t i = 0; i < choices.dimensions; ++i) {
      const std::int64_t amount = cluster_.shape(task.shape).request[demand.counts[i]];
      choices.own[candidate * choices.dimensions + i] += amount;
      if (stays) choices.gives[candidate * choices.dimensions + i] += amount;
    }
  }
}

// NODES-7. Whole nodes are asked for: first those that pods of others will leave, then those that
// they will leave in part. They count with all but the pods that come with the node.
void NodeUse::keep_whole_nodes(const QueueDemand& demand, StayingPods::Count staying,
                               UsableNodes& usable) const {
  NodeChoices& choices = usable.choices;
  const std::size_t before = usable.nodes.size();
  keep(usable, [&](std::size_t candidate) {
    bool gives = true;
    for (std::size_t i = 0; i < choices.dimensions; ++i) {
      const Dimension d = demand.counts[i];
      const std::int64_t whole = cluster_.allocatable().at(usable.nodes[candidate], d) -
                                 cluster_.of_nodes().at(usable.nodes[candidate], d);
      std::int64_t& given = choices.gives[candidate * choices.dimensions + i];
      gives = gives && given > 0 && (staying == StayingPods::Count::always || given >= whole);
      given = whole;
    }
    return gives;
  });
  usable.filled += static_cast<std::int32_t>(before - usable.nodes.size());
}

}  // namespace berth::plugins
