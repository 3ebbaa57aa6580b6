#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include "berth/model/cluster.h"

namespace berth::engine {

// The most pods of one shape that its anti-affinity to itself lets nodes take together: an upper
// bound, so it refuses no gang that could start. Affinity bounds nothing, because other pods that
// match may come in any domain.
class ApartBound {
 public:
  ApartBound(const Cluster& cluster, const Shape& shape);
  // A node that takes so many of them but for this.
  void add(NodeId node, std::int64_t pods);
  std::int64_t pods() const;
  std::string why() const;

 private:
  struct OfTerm {
    TermId term;
    std::set<DomainId> domains;
    std::int64_t outside = 0;  // pods on nodes without the label
    std::int64_t pods() const { return outside + static_cast<std::int64_t>(domains.size()); }
  };
  const OfTerm* least() const;

  const Cluster& cluster_;
  std::int64_t all_ = 0;
  std::vector<OfTerm> terms_;  // one pod in each domain
};

// The same of a spread that counts them. SPREAD-12.
class SpreadBound {
 public:
  // `spread`: which of the shape's.
  SpreadBound(const Cluster& cluster, const Shape& shape, std::size_t spread);
  void add(NodeId node, std::int64_t pods);
  // Other pods that count could be there, so many.
  void add_others(NodeId node, std::int64_t pods);
  std::int64_t pods() const;
  std::string why() const;

 private:
  struct Domain {
    bool is_counted = false;   // in the lowest count
    std::int64_t own = 0;      // pods of the shape that it takes
    std::int64_t others = 0;   // pods that count and are there, or could come
    std::int64_t there = 0;    // of the others, those that have a place
    std::int64_t staying = 0;  // of these, those that never leave
  };
  bool does_count(NodeId node, DomainId domain) const;
  bool has_domains() const;
  // The domain whose count can rise least, by value. None: there is no domain.
  const Domain* lowest() const;

  const Cluster& cluster_;
  const SpreadConstraint& wanted_;
  TermId term_;
  std::vector<Domain> domains_;
  std::int64_t outside_ = 0;  // of pods that do not count
};

}  // namespace berth::engine
