#include "history/of_cluster.h"

#include <algorithm>
#include <map>
#include <utility>

#include "berth/model/dimensions.h"

namespace berth::history {

namespace {

// Of these, a simulation knows what they say about the node alone.
Constraints on_node(const Constraints& all) {
  Constraints constraints;
  constraints.node_selector = all.node_selector;
  constraints.has_required_terms = all.has_required_terms;
  constraints.required_terms = all.required_terms;
  constraints.preferred_terms = all.preferred_terms;
  constraints.tolerations = all.tolerations;
  return constraints;
}

}  // namespace

NamedAmounts taken_by_others(const Cluster& cluster, NodeId node) {
  Resources taken;
  for (const TaskId id : cluster.node(node).tasks) {
    const Task& task = cluster.task(id);
    if (task.job.is_valid() || !occupies_node(task.status)) continue;
    taken += cluster.shape(task.shape).request;
  }
  return to_named(cluster.dimensions(), taken);
}

NodeObject without(NodeObject node, const NamedAmounts& taken) {
  for (const auto& [name, amount] : taken) {
    const auto has = node.allocatable.find(name);
    if (has != node.allocatable.end()) {
      has->second = std::max<std::int64_t>(0, has->second - amount);
    }
  }
  return node;
}

bool is_live(TaskStatus status) {
  return status != TaskStatus::succeeded && status != TaskStatus::failed &&
         status != TaskStatus::releasing;
}

RecordedPods pods_of_shape(const Cluster& cluster, ShapeId id, std::size_t count) {
  const Shape& shape = cluster.shape(id);
  NamedAmounts request = request_of(cluster.dimensions(), shape);
  request.erase("pods");
  return {static_cast<std::int32_t>(count), std::move(request), on_node(shape.constraints)};
}

std::vector<RecordedPods> pods_of(const Cluster& cluster, const Job& job) {
  std::map<ShapeId, std::int32_t> counts;
  std::vector<ShapeId> shapes;  // in the order of the pods
  for (const TaskId id : job.tasks) {
    const Task& task = cluster.task(id);
    if (is_live(task.status) && counts[task.shape]++ == 0) shapes.push_back(task.shape);
  }
  std::vector<RecordedPods> pods;
  for (const ShapeId id : shapes) {
    pods.push_back(pods_of_shape(cluster, id, static_cast<std::size_t>(counts[id])));
  }
  return pods;
}

std::optional<Duration> limit_of(const Cluster& cluster, const Job& job) {
  std::optional<Duration> longest;
  for (const TaskId id : job.tasks) {
    const Task& task = cluster.task(id);
    if (!is_live(task.status)) continue;
    const std::optional<TimeLimit> limit = time_limit_of(cluster, task);
    if (!limit) return std::nullopt;
    longest = std::max(longest.value_or(Duration()), limit->length);
  }
  return longest;
}

JobFacts facts_of(const Job& job) {
  JobFacts facts;
  facts.name = job.name;
  facts.uid = job.uid;
  facts.queue = job.queue_name;
  facts.priority = job.priority;
  facts.minimum = std::max(1, job.min_available);
  facts.submitted = job.created;
  return facts;
}

}  // namespace berth::history
