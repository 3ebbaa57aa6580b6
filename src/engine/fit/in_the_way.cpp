#include "engine/fit/in_the_way.h"

#include <algorithm>

#include "berth/engine/fit.h"

namespace berth::engine {

namespace {

constexpr std::size_t kNamedMost = 5;

bool has(const std::vector<TermId>& terms, TermId id) {
  return std::find(terms.begin(), terms.end(), id) != terms.end();
}

// The pods that count for one of the terms in the domain of the node.
std::vector<TaskId> counted_near(const Cluster& cluster, const std::vector<TermId>& terms,
                                 NodeId node) {
  std::vector<TaskId> found;
  const PodRelations& relations = cluster.relations();
  for (const TermId id : terms) {
    const DomainId domain = relations.domain(id, node);
    const Counted counted = domain.is_valid() ? relations.term(id).counts.at(domain) : Counted();
    if (counted.is_zero()) continue;
    for (std::size_t n = 0; n < cluster.node_count(); ++n) {
      if (relations.domain(id, NodeId(n)) != domain) continue;
      for (const TaskId each : cluster.node(NodeId(n)).tasks) {
        const ShapeTerms& of_pod = cluster.shape_of(each).terms;
        if (has(of_pod.counted, id) || has(of_pod.held, id)) found.push_back(each);
      }
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
  if (refusal.reason == Reason::pod_anti_affinity_mismatch) {
    found = counted_near(cluster, shape.terms.anti_affinity, node);
  }
  if (refusal.reason == Reason::existing_pod_anti_affinity) {
    found = counted_near(cluster, shape.terms.refused_by, node);
  }
  std::sort(found.begin(), found.end(), [&](TaskId left, TaskId right) {
    return cluster.task(left).name < cluster.task(right).name;
  });
  found.erase(std::unique(found.begin(), found.end()), found.end());
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
    } else if (named.names.size() < kNamedMost) {
      named.names.push_back(task.name);
    } else {
      ++named.more;
    }
  }
  return named;
}

}  // namespace berth::engine
