#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "berth/model/cluster.h"

namespace berth::engine {

// Nodes in groups: those of one group are in the same domain of each key.
struct NodeGroups {
  std::vector<TopologyKeyId> keys;  // only those with few domains
  std::vector<std::uint32_t> of;    // by node; dense, in the order of their first nodes
  std::size_t count = 0;
};

// By as many of these keys as leave few groups: first those with fewest domains. A key with about
// as many domains as nodes is left out, since its groups would be no larger than a few nodes.
NodeGroups group_nodes(const Cluster& cluster, std::vector<TopologyKeyId> keys);

}  // namespace berth::engine
