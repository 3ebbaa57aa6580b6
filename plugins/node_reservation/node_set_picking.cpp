#include "plugins/node_reservation/node_set_picking.h"

#include <algorithm>
#include <functional>

namespace berth::plugins {

namespace {

constexpr std::size_t kLook = 16;  // offers, and one of 64, that are looked at before all are again
constexpr std::size_t kOneByOne = 64;  // of more, a part of this size is dropped at a time

}  // namespace

NodePicking::NodePicking(const NodeSetMeasure& measure)
    : measure_(measure), gains_(measure), values_(measure.size(), 1), is_out_(measure.size(), 0) {}

// The best offers, as a heap; the last is the best of all others.
void NodePicking::rank(const NodePicks& pool) {
  offers_.clear();
  for (const std::uint32_t node : pool) {
    if (is_out_[node] != 0) continue;
    const std::uint64_t now = worth(node);
    if (now != 0) offers_.push_back({now, node});
  }
  const std::size_t look = kLook + offers_.size() / 64;
  if (offers_.size() > look + 1) {
    const auto last = offers_.begin() + static_cast<std::ptrdiff_t>(look);
    std::nth_element(offers_.begin(), last, offers_.end(),
                     [](const Offer& a, const Offer& b) { return b < a; });
    offers_.resize(look + 1);
  } else if (!offers_.empty()) {
    offers_.push_back({0, kNone});
  }
}

// Gains only shrink as the set grows: an offer that is still the best after another look is the
// best of all. It ends where the best of the others may be better.
void NodePicking::take_best(NodePicks& nodes, NodeSetMeasure::Sums& sums) {
  const Offer others = offers_.back();
  offers_.pop_back();
  std::make_heap(offers_.begin(), offers_.end());
  while (!offers_.empty() && !measure_.is_enough(sums)) {
    std::pop_heap(offers_.begin(), offers_.end());
    Offer best = offers_.back();
    offers_.pop_back();
    const std::uint64_t now = worth(best.node);
    if (now < best.worth) {
      best.worth = now;
      if (best < others || now == 0) continue;
      offers_.push_back(best);
      std::push_heap(offers_.begin(), offers_.end());
      continue;
    }
    if (best < others) return;
    nodes.push_back(best.node);
    is_out_[best.node] = 1;
    measure_.add(sums, best.node);
    gains_.set_left(sums);
  }
}

void NodePicking::fill_up(NodePicks& nodes, const NodePicks& pool, std::uint32_t never) {
  NodeSetMeasure::Sums sums = measure_.sums_of(nodes);
  for (const std::uint32_t node : nodes) is_out_[node] = 1;
  if (never != kNone) is_out_[never] = 1;
  while (!measure_.is_enough(sums)) {
    gains_.set_left(sums);
    rank(pool);
    if (offers_.empty()) break;
    take_best(nodes, sums);
  }
  for (const std::uint32_t node : nodes) is_out_[node] = 0;
  if (never != kNone) is_out_[never] = 0;
}

void NodePicking::drop_needless(NodePicks& nodes, bool only_new) {
  std::sort(nodes.begin(), nodes.end());
  NodeSetMeasure::Sums sums = measure_.sums_of(nodes);
  while (true) {
    ranking_.clear();
    for (const std::uint32_t node : nodes) {
      if (only_new && measure_.is_held(node)) continue;
      if (!measure_.is_enough_without(sums, node)) continue;
      measure_.remove(sums, node);
      ranking_.emplace_back(measure_.score(sums, 1), node);
      measure_.add(sums, node);
    }
    if (ranking_.empty()) return;
    // Of equals, the last one leaves: what stays is first in lexicographic order.
    const std::size_t at_once = 1 + (ranking_.size() - 1) / kOneByOne;
    std::partial_sort(ranking_.begin(), ranking_.begin() + static_cast<std::ptrdiff_t>(at_once),
                      ranking_.end(), std::greater<>());
    for (std::size_t i = 0; i < at_once; ++i) {
      const std::uint32_t node = ranking_[i].second;
      if (!measure_.is_enough_without(sums, node)) continue;
      measure_.remove(sums, node);
      is_out_[node] = 1;
    }
    std::erase_if(nodes, [&](std::uint32_t node) {
      return std::exchange(is_out_[node], std::uint8_t{0}) != 0;
    });
  }
}

}  // namespace berth::plugins
