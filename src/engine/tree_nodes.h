#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <vector>

#include "berth/model/cluster.h"

namespace berth::engine {

// The nodes of a topology in the order of its tree, so that each domain is a range of them. Nodes
// in no domain are left out.
class TreeNodes {
 public:
  struct Range {
    std::uint32_t begin = 0;
    std::uint32_t end = 0;
    bool operator==(const Range&) const = default;
  };

  // `tree` must stay as it is.
  TreeNodes(const Cluster& cluster, const TopologyTree& tree);

  const TopologyTree& tree() const { return *tree_; }
  std::size_t slots() const { return place_.size(); }  // nodes of the cluster
  Range all() const { return {0, static_cast<std::uint32_t>(nodes_.size())}; }
  Range range(TreeDomainId domain) const { return ranges_[domain.index()]; }
  std::span<const NodeId> nodes(Range range) const {
    return std::span(nodes_).subspan(range.begin, range.end - range.begin);
  }
  bool has(Range range, NodeId node) const {
    const std::uint32_t at = position_[node.index()];
    return range.begin <= at && at < range.end;
  }
  // The innermost domain of the node. Invalid: it is in none.
  TreeDomainId domain_of(NodeId node) const { return place_[node.index()]; }
  // The domains that stand for this level, in the order of names: of each branch the outermost that
  // is of the level or further in (TOPO-10).
  const std::vector<TreeDomainId>& domains(std::size_t level) const { return of_level_[level]; }
  // The innermost domain that has all of these nodes. Invalid: there is none.
  TreeDomainId around(const std::vector<NodeId>& nodes) const;

 private:
  static constexpr std::uint32_t kNowhere = 0xffffffff;

  const TopologyTree* tree_;
  std::vector<NodeId> nodes_;
  std::vector<std::uint32_t> position_;  // by node
  std::vector<TreeDomainId> place_;      // by node
  std::vector<Range> ranges_;            // by domain
  std::vector<std::vector<TreeDomainId>> of_level_;
};

// Those of a cluster, made when somebody asks. Session thread only.
class TreesInOrder {
 public:
  // The tree must be there. Until the trees or the nodes change.
  const TreeNodes& of(const Cluster& cluster, const TopologyName& name);

 private:
  std::uint64_t topologies_ = 0;
  std::uint64_t nodes_ = 0;
  std::map<TopologyName, TreeNodes> trees_;
};

}  // namespace berth::engine
