#include <map>
#include <utility>
#include <vector>

#include "engine/consistency.h"

namespace berth::engine {

namespace {

using Counts = std::map<std::pair<TermId, DomainId>, Counted>;

// Computed from the tasks, and from the terms that match them by a naive search.
Counts recount(const Cluster& cluster) {
  Counts counts;
  const PodRelations& relations = cluster.relations();
  for (std::size_t t = 0; t < cluster.task_slots(); ++t) {
    const Task& task = cluster.task(TaskId(t));
    if (task.uid.empty() || !task.node.is_valid()) continue;
    Counted one;
    one.there = occupies_node(task.status) ? 1 : 0;
    one.leaving = task.status == TaskStatus::releasing ? 1 : 0;
    one.promised = task.status == TaskStatus::pipelined ? 1 : 0;
    one.staying = task.never_leaves ? one.there : 0;
    const auto add = [&](TermId id) {
      const DomainId domain = relations.domain(id, task.node);
      if (domain.is_valid() && !one.is_zero()) counts[{id, domain}] += one;
    };
    for (std::size_t i = 0; i < relations.terms().slots(); ++i) {
      const Term& term = relations.term(TermId(i));
      if (term.uses == 0 || term.spec.role == TermRole::held) continue;
      if (matches(term.spec, name_space_of(task), task.labels, relations.labels(),
                  relations.namespaces())) {
        add(TermId(i));
      }
    }
    for (const TermId id : cluster.shape(task.shape).terms.held) add(id);
  }
  return counts;
}

}  // namespace

std::string relation_fault(const Cluster& cluster) {
  std::vector<std::uint32_t> uses(cluster.shape_count(), 0);
  for (std::size_t t = 0; t < cluster.task_slots(); ++t) {
    const Task& task = cluster.task(TaskId(t));
    if (task.uid.empty()) continue;
    ++uses[task.shape.index()];
    const auto& matched = cluster.shape(task.shape).terms.matched;
    if (matched != cluster.relations().matching(name_space_of(task), task.labels)) {
      return "task " + task.name + ": the terms that match it are off";
    }
  }
  for (std::size_t s = 0; s < uses.size(); ++s) {
    const Shape& shape = cluster.shape(ShapeId(s));
    if (shape.serial != 0 && shape.has_relations()) ++uses[shape.base.index()];
  }
  for (std::size_t s = 0; s < uses.size(); ++s) {
    if (cluster.shape(ShapeId(s)).uses != uses[s]) return "the uses of a shape are off";
  }
  const PodRelations& relations = cluster.relations();
  Counts counts = recount(cluster);
  for (std::size_t i = 0; i < relations.terms().slots(); ++i) {
    Counted total;
    for (const auto& [domain, counted] : relations.term(TermId(i)).counts.by_domain()) {
      if (counts[{TermId(i), domain}] != counted) return "the count of a term is off";
      counts.erase({TermId(i), domain});
      total += counted;
    }
    if (total != relations.term(TermId(i)).counts.total()) return "the sum of a term is off";
  }
  return counts.empty() ? "" : "a term does not count all";
}

}  // namespace berth::engine
