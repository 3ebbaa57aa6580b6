#pragma once

#include <map>
#include <utility>
#include <vector>

#include "berth/engine/occupants.h"
#include "berth/model/cluster.h"

namespace berth::engine {

// Members that are tried on nodes, beside the tasks of the cluster: what relations between them
// allow. Nothing in the cluster changes.
class Trial {
 public:
  explicit Trial(const Cluster& cluster) : cluster_(cluster) {}

  // How many of `count` such members the relations let the node take, after those put before. The
  // rest of the question, room for example, is the caller's.
  std::int32_t most(const Shape& shape, NodeId node, std::int32_t count) const;
  void put(const Shape& shape, NodeId node, std::int32_t count);

  // Takes back what was put since mark() gave this.
  std::size_t mark() const { return log_.size(); }
  void take_back_to(std::size_t mark);

 private:
  using Place = std::pair<TermId, DomainId>;
  std::int32_t tried(TermId term, DomainId domain) const;
  bool is_any_tried(const std::vector<TermId>& terms) const;

  const Cluster& cluster_;
  std::map<Place, std::int32_t> tried_;
  std::vector<std::pair<Place, std::int32_t>> log_;
};

}  // namespace berth::engine
