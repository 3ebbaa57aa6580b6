#pragma once

#include <vector>

#include "berth/model/cluster.h"

namespace berth::engine {

// TOPO-17. The only nodes that pods may be placed on, in groups in the order in which they are
// filled: a pod goes to the best node of the first group that has room for it.
struct Within {
  std::vector<std::vector<NodeId>> groups;
  std::vector<std::uint8_t> has;  // by node; 1: it is in a group

  explicit Within(const Cluster& cluster) : has(cluster.node_count(), 0) {}
  void add(std::vector<NodeId> group) {
    for (const NodeId node : group) has[node.index()] = 1;
    groups.push_back(std::move(group));
  }
};

}  // namespace berth::engine
