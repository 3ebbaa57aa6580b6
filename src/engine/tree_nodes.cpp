#include "engine/tree_nodes.h"

#include <algorithm>

namespace berth::engine {

TreeNodes::TreeNodes(const Cluster& cluster, const TopologyTree& tree)
    : tree_(&tree),
      position_(cluster.node_count(), kNowhere),
      place_(cluster.node_count()),
      ranges_(tree.domain_slots()),
      of_level_(tree.levels().size()) {
  std::vector<std::vector<NodeId>> own(tree.domain_slots());  // in no domain further in
  for (std::size_t n = 0; n < cluster.node_count(); ++n) {
    const NodeId node(n);
    place_[n] = tree.place_of(cluster.node(node).name);
    if (place_[n].is_valid()) own[place_[n].index()].push_back(node);
  }
  tree.each_domain([&](TreeDomainId id) {
    Range& range = ranges_[id.index()];
    range.begin = range.end = static_cast<std::uint32_t>(nodes_.size());
    for (const NodeId node : own[id.index()]) {
      position_[node.index()] = range.end++;
      nodes_.push_back(node);
    }
    const TreeDomain& domain = tree.domain(id);
    const std::size_t first = domain.parent.is_valid() ? tree.domain(domain.parent).level + 1 : 0;
    for (std::size_t level = first; level <= domain.level; ++level) of_level_[level].push_back(id);
    for (TreeDomainId around = domain.parent; around.is_valid();
         around = tree.domain(around).parent) {
      ranges_[around.index()].end = range.end;
    }
  });
}

TreeDomainId TreeNodes::around(const std::vector<NodeId>& nodes) const {
  if (nodes.empty()) return TreeDomainId();
  TreeDomainId id = domain_of(nodes.front());
  const auto has_all = [&](TreeDomainId domain) {
    return std::all_of(nodes.begin(), nodes.end(),
                       [&](NodeId node) { return has(range(domain), node); });
  };
  while (id.is_valid() && !has_all(id)) id = tree_->domain(id).parent;
  return id;
}

const TreeNodes& TreesInOrder::of(const Cluster& cluster, const TopologyName& name) {
  const std::uint64_t topologies = cluster.topologies().version();
  if (topologies_ != topologies || nodes_ != cluster.spec_version()) trees_.clear();
  topologies_ = topologies;
  nodes_ = cluster.spec_version();
  const auto known = trees_.find(name);
  if (known != trees_.end()) return known->second;
  return trees_.try_emplace(name, cluster, *cluster.topologies().find(name)).first->second;
}

}  // namespace berth::engine
