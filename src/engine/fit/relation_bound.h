#pragma once

#include <cstdint>
#include <set>
#include <utility>
#include <vector>

#include "berth/model/cluster.h"

namespace berth::engine {

// The most pods of one shape that its anti-affinity to itself lets nodes take together: an upper
// bound, so it refuses no gang that could start. Affinity bounds nothing, because other pods that
// match may come in any domain.
class RelationBound {
 public:
  RelationBound(const Cluster& cluster, const Shape& shape);
  // A node that takes so many of them but for this.
  void add(NodeId node, std::int64_t pods);
  std::int64_t pods() const;

 private:
  struct OfTerm {
    TermId term;
    std::set<DomainId> domains;
    std::int64_t outside = 0;  // pods on nodes without the label
  };

  const Cluster& cluster_;
  std::int64_t all_ = 0;
  std::vector<OfTerm> apart_;  // one in each domain
};

}  // namespace berth::engine
