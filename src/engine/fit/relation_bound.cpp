#include "engine/fit/relation_bound.h"

#include <algorithm>

namespace berth::engine {

RelationBound::RelationBound(const Cluster& cluster, const Shape& shape) : cluster_(cluster) {
  const ShapeTerms& terms = shape.terms;
  for (const TermId term : terms.anti_affinity) {
    const bool is_own = std::binary_search(terms.matched.begin(), terms.matched.end(), term);
    if (is_own) apart_.push_back({term, {}});
  }
}

void RelationBound::add(NodeId node, std::int64_t pods) {
  all_ += pods;
  for (OfTerm& each : apart_) {
    const DomainId domain = cluster_.relations().domain(each.term, node);
    if (domain.is_valid()) {
      each.domains.insert(domain);
    } else {
      each.outside += pods;
    }
  }
}

std::int64_t RelationBound::pods() const {
  std::int64_t bound = all_;
  for (const OfTerm& each : apart_) {
    bound = std::min(bound, each.outside + static_cast<std::int64_t>(each.domains.size()));
  }
  return bound;
}

}  // namespace berth::engine
