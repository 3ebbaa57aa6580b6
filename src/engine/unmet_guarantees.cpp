#include "berth/engine/unmet_guarantees.h"

#include <utility>

namespace berth::engine {

std::vector<std::int64_t> allocated_by_position(const Cluster& cluster, const QueueTree& tree) {
  std::vector<std::int64_t> allocated(tree.size() * tree.dimensions(), 0);
  for (std::size_t at = 0; at < tree.size(); ++at) {
    const QueueId queue = tree.member(at).queue;
    for (std::size_t d = 0; queue.is_valid() && d < tree.dimensions(); ++d) {
      allocated[at * tree.dimensions() + d] = cluster.queue(queue).allocated[Dimension(d)];
    }
  }
  return allocated;
}

void UnmetGuarantees::reset(const QueueTree& tree, std::vector<std::int64_t> kept,
                            std::vector<std::int64_t> has) {
  dimensions_ = tree.dimensions();
  kept_ = std::move(kept);
  has_ = std::move(has);
  below_.assign(has_.size(), 0);
  count_below_.assign(has_.size(), 0);
  is_kept_.assign(dimensions_, 0);
  for (std::size_t i = 0; i < kept_.size(); ++i) {
    if (kept_[i] > 0) is_kept_[i % dimensions_] = 1;
  }
  most_due_.resize(dimensions_);
  for (LargestOf& each : most_due_) each.clear();
  for (std::size_t at = tree.size(); at-- > 1;) {
    const std::size_t parent = tree.member(at).parent;
    for (std::size_t d = 0; d < dimensions_; ++d) {
      const Dimension dimension(d);
      std::int64_t& above = has_[index(parent, dimension)];
      above = saturated_sum(above, has_[index(at, dimension)]);
      below_[index(parent, dimension)] += due(at, dimension);
      if (due(at, dimension) > 0) ++count_below_[index(parent, dimension)];
    }
  }
}

void UnmetGuarantees::add(const QueueTree& tree, std::size_t position, Dimension d,
                          std::int64_t amount) {
  if (is_kept_[d.index()] == 0) {
    for (std::size_t at = position;; at = tree.member(at).parent) {
      has_[index(at, d)] = saturated_sum(has_[index(at, d)], amount);
      if (at == 0) return;
    }
  }
  // The unmet guarantee of a queue depends on those of the queues below it.
  std::int64_t change_below = 0;
  for (std::size_t at = position;; at = tree.member(at).parent) {
    const std::int64_t before = due(at, d);
    std::int64_t& has = has_[index(at, d)];
    has = saturated_sum(has, amount);
    below_[index(at, d)] += change_below;
    if (at == 0) return;
    const std::int64_t now = due(at, d);
    change_below = now - before;
    if (now == before) continue;
    std::uint32_t& count = count_below_[index(tree.member(at).parent, d)];
    count += (now > 0 ? 1U : 0U) - (before > 0 ? 1U : 0U);
    if (most_due_[d.index()].is_made()) {
      most_due_[d.index()].set(static_cast<std::uint32_t>(at), now);
    }
  }
}

std::vector<std::uint32_t> UnmetGuarantees::most_due_below(const QueueTree& tree,
                                                           std::size_t position, std::size_t own,
                                                           Dimension d, std::size_t most) const {
  LargestOf& largest = most_due_[d.index()];
  if (!largest.is_made()) {
    std::vector<std::int64_t> amounts(has_.size() / dimensions_);
    for (std::size_t at = 0; at < amounts.size(); ++at) amounts[at] = due(at, d);
    largest.make(std::move(amounts));
  }
  const QueueTree::Member& member = tree.member(position);
  return largest.within(member.first_child, member.first_child + member.child_count,
                        static_cast<std::uint32_t>(own), most);
}

bool UnmetGuarantees::is_covered(const QueueTree& tree, std::size_t position, Dimension d,
                                 std::int64_t amount) const {
  std::int64_t others = 0;
  for (std::size_t at = position; at != 0; at = tree.member(at).parent) {
    if (saturated_sum(saturated_sum(has(at, d), amount), others) <= kept_[index(at, d)]) {
      return true;
    }
    others += due_to_siblings(tree, at, d);
  }
  return false;
}

std::int64_t UnmetGuarantees::due_to_others(const QueueTree& tree, std::size_t position,
                                            Dimension d) const {
  std::int64_t others = 0;
  for (std::size_t at = position; at != 0; at = tree.member(at).parent) {
    others += due_to_siblings(tree, at, d);
  }
  return position == 0 ? due_below(0, d) : others;
}

}  // namespace berth::engine
