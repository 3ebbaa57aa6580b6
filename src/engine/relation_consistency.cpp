#include <algorithm>
#include <limits>
#include <map>
#include <utility>
#include <vector>

#include "engine/consistency.h"

namespace berth::engine {

namespace {

using CountsOfTerms = std::map<std::pair<TermId, DomainId>, Counted>;

// Computed from the tasks, and from the terms that match them by a naive search.
CountsOfTerms recount(const Cluster& cluster) {
  CountsOfTerms counts;
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
      const NodeSetId among = relations.term(id).spec.nodes;
      if (among.is_valid() && !relations.node_sets().has(among, task.node)) return;
      if (domain.is_valid() && !one.is_zero()) counts[{id, domain}] += one;
    };
    for (std::size_t i = 0; i < relations.terms().slots(); ++i) {
      const Term& term = relations.term(TermId(i));
      if (term.uses == 0 || counts_holders(term.spec.role)) continue;
      if (matches(term.spec, name_space_of(task), task.labels, relations.labels(),
                  relations.namespaces())) {
        add(TermId(i));
      }
    }
    for (const TermId id : cluster.shape(task.shape).terms.held) add(id);
  }
  return counts;
}

// SPREAD-5, computed from the nodes and the counts.
std::string spread_fault(const Cluster& cluster, TermId id) {
  const PodRelations& relations = cluster.relations();
  std::map<DomainId, Counted> domains;
  for (std::size_t n = 0; n < cluster.node_count(); ++n) {
    if (!relations.node_sets().has(relations.term(id).spec.nodes, NodeId(n))) continue;
    const DomainId domain = relations.domain(id, NodeId(n));
    if (!domain.is_valid()) return "a spread counts a node without its label";
    domains[domain] = relations.term(id).counts.at(domain);
  }
  const SpreadDomains& spread = relations.spread(id);
  if (spread.size() != domains.size()) return "the domains of a spread are off";
  std::int32_t stay = std::numeric_limits<std::int32_t>::max();
  std::int32_t stay_or_come = stay;
  for (const auto& [domain, counted] : domains) {
    stay = std::min(stay, counted.there - counted.leaving);
    stay_or_come = std::min(stay_or_come, counted.there - counted.leaving + counted.promised);
  }
  if (domains.empty()) stay = stay_or_come = 0;
  const bool is_right =
      spread.lowest_that_stay() == stay && spread.lowest_that_stay_or_come() == stay_or_come;
  return is_right ? "" : "the lowest count of a spread is off";
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
    if (shape.serial != 0 && shape.base != shape.id) ++uses[shape.base.index()];
  }
  for (std::size_t s = 0; s < uses.size(); ++s) {
    if (cluster.shape(ShapeId(s)).uses != uses[s]) return "the uses of a shape are off";
  }
  const PodRelations& relations = cluster.relations();
  std::map<TermId, std::pair<std::size_t, Counted>> found;  // domains, and the sum of their pods
  for (const auto& [at, counted] : recount(cluster)) {
    if (relations.term(at.first).counts.at(at.second) != counted) {
      return "the count of a term is off";
    }
    found[at.first].first += 1;
    found[at.first].second += counted;
  }
  for (std::size_t i = 0; i < relations.terms().slots(); ++i) {
    const Term& term = relations.term(TermId(i));
    const auto& [domains, total] = found[TermId(i)];
    if (total != term.counts.total()) return "the sum of a term is off";
    if (domains != term.counts.domain_count()) return "a term counts pods that are not there";
    if (term.uses == 0 || term.spec.role != TermRole::spread) continue;
    if (std::string fault = spread_fault(cluster, TermId(i)); !fault.empty()) return fault;
  }
  return {};
}

}  // namespace berth::engine
