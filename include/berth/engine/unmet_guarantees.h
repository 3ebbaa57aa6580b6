#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "berth/engine/largest_of.h"
#include "berth/engine/queue_tree.h"

namespace berth::engine {

// The allocated amounts of each queue itself, by position and dimension.
std::vector<std::int64_t> allocated_by_position(const Cluster& cluster, const QueueTree& tree);

// The use of queues and the unused rest of their guarantees, with all queues below. A queue's rest
// is that of its own guarantee, or the sum of its children's rests if that is more: one child's use
// of its parent's guarantee does not pay another child's.
class UnmetGuarantees {
 public:
  // `kept` and `has` are by position and dimension. `has` counts each queue without its children.
  void reset(const QueueTree& tree, std::vector<std::int64_t> kept, std::vector<std::int64_t> has);

  // Adds to the use of the queue at this position and of all above it.
  void add(const QueueTree& tree, std::size_t position, Dimension d, std::int64_t amount);

  std::int64_t has(std::size_t position, Dimension d) const { return has_[index(position, d)]; }
  std::int64_t due(std::size_t position, Dimension d) const {
    const std::size_t i = index(position, d);
    return std::max(kept_[i] - std::max<std::int64_t>(0, has_[i]), below_[i]);
  }
  // The sum over all children of a position.
  std::int64_t due_below(std::size_t position, Dimension d) const {
    return below_[index(position, d)];
  }
  std::int64_t due_to_siblings(const QueueTree& tree, std::size_t position, Dimension d) const {
    return due_below(tree.member(position).parent, d) - due(position, d);
  }
  // How many children of a position have more than 0, and the first `most` of these without `own`:
  // the largest first, of equals the first.
  std::uint32_t count_due_below(std::size_t position, Dimension d) const {
    return count_below_[index(position, d)];
  }
  std::vector<std::uint32_t> most_due_below(const QueueTree& tree, std::size_t position,
                                            std::size_t own, Dimension d, std::size_t most) const;
  // True if the queue, or one above it, may take this amount of its own guarantee without touching
  // the rest of other queues below that one.
  bool is_covered(const QueueTree& tree, std::size_t position, Dimension d,
                  std::int64_t amount) const;
  // The sum over all queues that are neither this one nor above it.
  std::int64_t due_to_others(const QueueTree& tree, std::size_t position, Dimension d) const;

 private:
  std::size_t index(std::size_t position, Dimension d) const {
    return position * dimensions_ + d.index();
  }

  std::size_t dimensions_ = 0;
  std::vector<std::uint8_t> is_kept_;  // by dimension: has any queue a guarantee of it?
  std::vector<std::int64_t> kept_;
  std::vector<std::int64_t> has_;    // with all below
  std::vector<std::int64_t> below_;  // of all children together
  std::vector<std::uint32_t> count_below_;
  mutable std::vector<LargestOf> most_due_;  // by dimension, made on the first question
};

}  // namespace berth::engine
