#include "engine/fit/in_the_way.h"

#include <algorithm>

#include "berth/engine/fit.h"
#include "engine/fit/keeps_away.h"

namespace berth::engine {

namespace {

constexpr std::size_t kPodsNamed = 5;

bool share_a_domain(const Cluster& cluster, const Shape& shape, NodeId left, NodeId right) {
  const PodRelations& relations = cluster.relations();
  const auto same = [&](TermId term) {
    const DomainId domain = relations.domain(term, left);
    return domain.is_valid() && relations.domain(term, right) == domain;
  };
  return std::any_of(shape.terms.anti_affinity.begin(), shape.terms.anti_affinity.end(), same) ||
         std::any_of(shape.terms.refused_by.begin(), shape.terms.refused_by.end(), same);
}

// The pods of the node's domains that keep the shape away from it.
std::vector<TaskId> that_keep_away(const Cluster& cluster, const Shape& shape, NodeId node) {
  std::vector<TaskId> found;
  for (std::size_t n = 0; n < cluster.node_count(); ++n) {
    if (!share_a_domain(cluster, shape, node, NodeId(n))) continue;
    for (const TaskId each : cluster.node(NodeId(n)).tasks) {
      if (keeps_away(cluster, each, shape, node)) found.push_back(each);
    }
  }
  return found;
}

// A pod is in the way if the port would be free without it.
std::vector<TaskId> with_its_ports(const Cluster& cluster, const Shape& shape, NodeId node) {
  std::vector<TaskId> found;
  Node alone = cluster.node(node);
  for (const TaskId each : cluster.node(node).tasks) {
    alone.tasks = {each};
    if (!constraints::host_ports.check({cluster, shape, alone})) found.push_back(each);
  }
  return found;
}

}  // namespace

std::vector<TaskId> pods_in_the_way(const Cluster& cluster, const Shape& shape, NodeId node,
                                    const Verdict& refusal) {
  std::vector<TaskId> found;
  if (refusal.reason == Reason::host_port_taken) found = with_its_ports(cluster, shape, node);
  if (refusal.reason == Reason::pod_anti_affinity_mismatch ||
      refusal.reason == Reason::existing_pod_anti_affinity) {
    found = that_keep_away(cluster, shape, node);
  }
  std::sort(found.begin(), found.end(), [&](TaskId left, TaskId right) {
    return cluster.task(left).name < cluster.task(right).name;
  });
  return found;
}

std::string NamedInTheWay::text() const {
  std::vector<std::string> parts = names;
  if (more > 0) parts.push_back(std::to_string(more) + " more");
  if (of_other_namespaces > 0) {
    parts.push_back(std::to_string(of_other_namespaces) + " of other namespaces");
  }
  std::string text;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    if (i > 0) text += i + 1 == parts.size() ? " and " : ", ";
    text += parts[i];
  }
  return text;
}

NamedInTheWay named_in_the_way(const Cluster& cluster, const std::vector<TaskId>& pods,
                               std::string_view name_space) {
  NamedInTheWay named;
  for (const TaskId id : pods) {
    const Task& task = cluster.task(id);
    if (name_space_of(task) != name_space) {
      ++named.of_other_namespaces;
    } else if (named.names.size() < kPodsNamed) {
      named.names.push_back(task.name);
    } else {
      ++named.more;
    }
  }
  return named;
}

}  // namespace berth::engine
