#include "engine/node_groups.h"

#include <algorithm>
#include <unordered_map>
#include <utility>

namespace berth::engine {

namespace {

// At most an eighth of the nodes. In a small cluster, a few groups are few enough.
std::size_t most_groups(std::size_t nodes) { return std::max<std::size_t>(4, nodes / 8); }

// Divides each group by the domains of the key. False, and no change, if too many groups come of
// it.
bool divide(const Cluster& cluster, TopologyKeyId key, NodeGroups& groups) {
  const std::size_t nodes = cluster.node_count();
  const std::size_t most = most_groups(nodes);
  std::unordered_map<std::uint64_t, std::uint32_t> known;  // look-up only
  std::vector<std::uint32_t> of(nodes);
  for (std::size_t n = 0; n < nodes; ++n) {
    // An invalid domain is a group, too: the nodes without the label.
    const DomainId domain = cluster.relations().domains().at(key, NodeId(n));
    const std::uint64_t both = std::uint64_t{groups.of[n]} << 32 | domain.index();
    of[n] = known.try_emplace(both, static_cast<std::uint32_t>(known.size())).first->second;
    if (known.size() > most) return false;
  }
  groups.of = std::move(of);
  groups.count = known.size();
  return true;
}

}  // namespace

NodeGroups group_nodes(const Cluster& cluster, std::vector<TopologyKeyId> keys) {
  const DomainTable& domains = cluster.relations().domains();
  std::stable_sort(keys.begin(), keys.end(), [&](TopologyKeyId left, TopologyKeyId right) {
    return domains.count(left) < domains.count(right);
  });
  NodeGroups groups;
  groups.of.assign(cluster.node_count(), 0);
  groups.count = 1;
  for (const TopologyKeyId key : keys) {
    if (divide(cluster, key, groups)) groups.keys.push_back(key);
  }
  return groups;
}

}  // namespace berth::engine
