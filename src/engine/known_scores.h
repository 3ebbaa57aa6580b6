#pragma once

#include <cstdint>
#include <vector>

#include "berth/base/strong_id.h"
#include "berth/model/cluster.h"

namespace berth::engine {

class NodeBlock;
class Session;

// A number for each node. Two nodes with the same number have the same allocatable amounts and the
// same points::node_order_class: while the same is idle on both, `nodeOrder` scores them alike.
class NodeClasses {
 public:
  // `version`: points::node_order_version.
  void refresh(Session& session, std::uint64_t version);
  std::uint32_t of(NodeId node) const { return of_[node.index()]; }
  // Leaves in `alike`, by position in the block, only nodes of the class of the one at `first` on
  // which the same is idle.
  void keep_alike(const Cluster& cluster, const NodeBlock& block, std::size_t first,
                  std::uint8_t* alike) const;

 private:
  std::vector<std::uint32_t> of_;
  std::uint32_t count_ = 0;  // of classes
  std::uint64_t spec_version_ = 0;
  std::uint64_t version_ = 0;
};

// The latest `nodeOrder` scores of a shape, by class and idle amounts of the nodes. Members of a
// gang fill alike nodes one after the other: most of their nodes were scored before. Exact.
class KnownScores {
 public:
  static constexpr std::size_t kMost = 64;

  // Drops all, because classes or answers are others.
  void clear() { rows_.clear(); }

  // The score of a node of this class as it is now, or null.
  const std::int64_t* find(const Cluster& cluster, std::uint32_t node_class, NodeId node);
  // Of the node that was asked about last.
  void keep(std::int32_t score);

  std::size_t bytes() const { return rows_.size() * sizeof(std::int64_t); }

 private:
  static constexpr std::size_t kHead = 2;
  static constexpr std::int64_t kNothing = -1;

  // A row: the score, the class or kNothing, and what is idle by dimension.
  std::vector<std::int64_t> rows_;
  std::vector<std::int64_t> asked_;  // the last; its score is not set
  std::size_t row_ = 0;              // where it is, or would be
};

}  // namespace berth::engine
