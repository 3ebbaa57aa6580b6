#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "berth/base/check.h"
#include "berth/engine/shares.h"
#include "berth/model/cluster.h"

namespace berth::engine {

// Some nodes for scorers: parallel arrays with one entry for each node. Neighbouring nodes are read
// in place; scattered nodes are gathered on demand. Either way a scorer's loop runs over plain
// arrays.
class NodeBlock {
 public:
  static constexpr std::size_t kMost = 64;

  // Nodes [first, first + count), at most kMost.
  NodeBlock(const Cluster& cluster, const Shares& shares, std::size_t first, std::size_t count)
      : cluster_(cluster), shares_(shares), first_(first), count_(count) {
    BERTH_CHECK(count_ <= kMost);
  }
  // At most kMost nodes in this order, gathered into `scratch`, which must outlive the block. Later
  // blocks may reuse it.
  class Scratch;
  NodeBlock(const Cluster& cluster, const Shares& shares, std::span<const NodeId> nodes,
            Scratch& scratch)
      : cluster_(cluster),
        shares_(shares),
        nodes_(nodes),
        count_(nodes.size()),
        scratch_(&scratch) {
    BERTH_CHECK(count_ <= kMost);
    scratch.used_ = 0;
  }

  std::size_t count() const { return count_; }
  NodeId node(std::size_t i) const { return nodes_.empty() ? NodeId(first_ + i) : nodes_[i]; }
  // The values of these nodes in `column`, which has one for each node. They are copied to `copies`
  // if the nodes are no neighbours.
  template <class T>
  const T* pick(const std::vector<T>& column, T* copies) const {
    if (nodes_.empty()) return column.data() + first_;
    for (std::size_t i = 0; i < count_; ++i) copies[i] = column[nodes_[i].index()];
    return copies;
  }

  // May be negative if pods of other schedulers overfill a node.
  const std::int64_t* idle(Dimension d) const { return view(cluster_.idle().column(d), d, 0); }
  const std::int64_t* allocatable(Dimension d) const {
    return view(cluster_.allocatable().column(d), d, 1);
  }
  const std::int64_t* available(Dimension d) const {
    return view(cluster_.available().column(d), d, 3);
  }
  // Of allocatable, for shares (shares.h).
  const std::int64_t* reciprocals(Dimension d) const { return view(shares_.reciprocals(d), d, 2); }

 private:
  struct Gathered {
    Dimension dimension;
    int kind = 0;
    std::array<std::int64_t, kMost> values;
  };

 public:
  class Scratch {
    friend class NodeBlock;
    std::vector<std::unique_ptr<Gathered>> columns_;
    std::size_t used_ = 0;
  };

 private:
  const std::int64_t* view(const std::int64_t* column, Dimension dimension, int kind) const {
    return nodes_.empty() ? column + first_ : gathered(column, dimension, kind);
  }

  const std::int64_t* gathered(const std::int64_t* column, Dimension dimension, int kind) const {
    auto& columns = scratch_->columns_;
    for (std::size_t c = 0; c < scratch_->used_; ++c) {
      const Gathered& known = *columns[c];
      if (known.dimension == dimension && known.kind == kind) return known.values.data();
    }
    if (scratch_->used_ == columns.size()) columns.emplace_back(new Gathered);
    Gathered& fresh = *columns[scratch_->used_++];
    fresh.dimension = dimension;
    fresh.kind = kind;
    for (std::size_t i = 0; i < count_; ++i) fresh.values[i] = column[nodes_[i].index()];
    return fresh.values.data();
  }

  const Cluster& cluster_;
  const Shares& shares_;
  std::span<const NodeId> nodes_;
  std::size_t first_ = 0;
  std::size_t count_;
  Scratch* scratch_ = nullptr;
};

}  // namespace berth::engine
