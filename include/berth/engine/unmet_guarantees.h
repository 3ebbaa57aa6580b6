#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "berth/engine/queue_tree.h"

namespace berth::engine {

// What each queue itself has allocated; by position and dimension.
std::vector<std::int64_t> allocated_by_position(const Cluster& cluster, const QueueTree& tree);

// What queues have, and what they are still due of what is kept for them, with all below them. A
// queue's due is what it lacks of its own, or what those below it are due together, if that is
// more: what one child uses of its parent's does not pay another child's.
class UnmetGuarantees {
 public:
  // `kept` and `has` are by position and dimension; `has` of each queue itself.
  void reset(const QueueTree& tree, std::vector<std::int64_t> kept, std::vector<std::int64_t> has);

  // The queue at this position, and all above it, get or lose something.
  void add(const QueueTree& tree, std::size_t position, Dimension d, std::int64_t amount);

  std::int64_t has(std::size_t position, Dimension d) const { return has_[index(position, d)]; }
  std::int64_t due(std::size_t position, Dimension d) const {
    const std::size_t i = index(position, d);
    return std::max({std::int64_t{0}, kept_[i] - has_[i], below_[i]});
  }
  // Of all children of a position together.
  std::int64_t due_below(std::size_t position, Dimension d) const {
    return below_[index(position, d)];
  }
  std::int64_t due_to_siblings(const QueueTree& tree, std::size_t position, Dimension d) const {
    return due_below(tree.member(position).parent, d) - due(position, d);
  }
  // Whether the queue, or one above it, may take so much of what is kept for it without touching
  // what is due to others below that one.
  bool is_covered(const QueueTree& tree, std::size_t position, Dimension d,
                  std::int64_t amount) const;
  // What is due to all that are neither this queue nor above it.
  std::int64_t due_to_others(const QueueTree& tree, std::size_t position, Dimension d) const;

 private:
  std::size_t index(std::size_t position, Dimension d) const {
    return position * dimensions_ + d.index();
  }

  std::size_t dimensions_ = 0;
  std::vector<std::int64_t> kept_;
  std::vector<std::int64_t> has_;    // with all below
  std::vector<std::int64_t> below_;  // due to children together
};

}  // namespace berth::engine
