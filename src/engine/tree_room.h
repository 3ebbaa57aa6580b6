#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <utility>
#include <vector>

#include "berth/model/cluster.h"
#include "engine/tree_nodes.h"

namespace berth::engine {

class Session;

// How many pods of one shape there is room for in each domain of a tree: counters. A node that
// changes costs the height of the tree.
class TreeRoom {
 public:
  explicit TreeRoom(const TreeNodes& nodes)
      : nodes_(&nodes), on_(nodes.slots()), in_(nodes.tree().domain_slots()) {}

  std::int64_t in(TreeDomainId domain) const { return in_[domain.index()]; }
  void set(NodeId node, std::int32_t pods);
  std::size_t bytes() const { return on_.size() * sizeof(on_[0]) + in_.size() * sizeof(in_[0]); }

 private:
  const TreeNodes* nodes_;
  std::vector<std::int32_t> on_;  // by node
  std::vector<std::int64_t> in_;  // by domain
};

// Those of idle room, kept over jobs and sessions, as rankings are: the cluster's journal has what
// changed since. Session thread only.
class RoomInTrees {
 public:
  // For a job that no lock is for, of a shape without relations. Valid until the trees or the nodes
  // change, and as it is until the next call for this shape.
  std::shared_ptr<const TreeRoom> idle(Session& session, const TreeNodes& nodes, ShapeId shape);

 private:
  struct Known {
    explicit Known(const TreeNodes& nodes) : room(nodes) {}
    TreeRoom room;
    std::uint64_t serial = 0;    // Shape::serial
    std::uint64_t position = 0;  // in the journal
  };
  static constexpr std::size_t kBytesMax = std::size_t{64} << 20;

  std::uint64_t topologies_ = 0;
  std::uint64_t nodes_ = 0;
  std::size_t bytes_ = 0;
  std::map<std::pair<const TreeNodes*, ShapeId>, std::shared_ptr<Known>> known_;
};

}  // namespace berth::engine
