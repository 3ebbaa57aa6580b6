#include "berth/engine/start.h"

#include <algorithm>

namespace berth::engine {

bool is_outside(const std::optional<Start>& start, const Cluster& cluster, const Shape& shape,
                NodeId node) {
  if (!start) return false;
  const auto has = [&](const std::vector<TermId>& terms) {
    return std::find(terms.begin(), terms.end(), start->term) != terms.end();
  };
  // Pods that it counts go there, too: the others must follow them.
  if (!has(shape.terms.affinity) && !has(shape.terms.counted)) return false;
  return cluster.relations().domain(start->term, node) != start->domain;
}

TermId term_to_start_with(const Cluster& cluster, const Shape& shape) {
  TermId found;
  if (!shape.terms.matches_own_affinity) return found;
  const PodRelations& relations = cluster.relations();
  std::size_t most = 0;
  for (const TermId id : shape.terms.affinity) {
    if (relations.term(id).counts.total().there > 0) return TermId();
    const std::size_t domains = relations.domains().count(relations.term(id).key);
    if (domains <= most) continue;
    found = id;
    most = domains;
  }
  return found;
}

}  // namespace berth::engine
