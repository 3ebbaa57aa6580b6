#include "berth/engine/start.h"

#include <algorithm>

#include "engine/seeker.h"

namespace berth::engine {

bool is_outside(const std::optional<Start>& start, const Cluster& cluster, const Shape& shape,
                NodeId node) {
  if (!start) return false;
  const PodRelations& relations = cluster.relations();
  const bool is_concerned = wants_near(shape, start->term) ||
                            (is_wanted_near(shape, start->term) &&
                             relations.term(start->term).counts.at(start->domain).there == 0);
  return is_concerned && relations.domain(start->term, node) != start->domain;
}

TermId term_to_start_with(const Cluster& cluster, const Shape& shape) {
  TermId found;
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
