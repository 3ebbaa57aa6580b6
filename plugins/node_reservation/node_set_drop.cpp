#include <algorithm>
#include <utility>
#include <vector>

#include "plugins/node_reservation/node_set_search.h"

namespace berth::plugins {

namespace {

constexpr std::size_t kOneByOne = 64;  // of more, a part of this size is dropped at a time

}  // namespace

void drop_needless(const NodeSetMeasure& measure, NodePicks& nodes,
                   const std::function<bool(std::uint32_t)>& may_drop) {
  NodeSetMeasure::Sums sums = measure.sums_of(nodes);
  std::vector<std::uint8_t> is_dropped(measure.size(), 0);
  std::vector<std::pair<std::int64_t, std::uint32_t>> ranking;  // score without, node
  while (true) {
    ranking.clear();
    for (const std::uint32_t node : nodes) {
      if (!may_drop(node) || !measure.is_enough_without(sums, node)) continue;
      measure.remove(sums, node);
      ranking.emplace_back(measure.score(sums, 1), node);
      measure.add(sums, node);
    }
    if (ranking.empty()) return;
    // Of equals, the last one leaves: what stays is first in lexicographic order.
    const std::size_t at_once = 1 + (ranking.size() - 1) / kOneByOne;
    std::partial_sort(ranking.begin(), ranking.begin() + static_cast<std::ptrdiff_t>(at_once),
                      ranking.end(), std::greater<>());
    for (std::size_t i = 0; i < at_once; ++i) {
      const std::uint32_t node = ranking[i].second;
      if (!measure.is_enough_without(sums, node)) continue;
      measure.remove(sums, node);
      is_dropped[node] = 1;
    }
    std::erase_if(nodes, [&](std::uint32_t node) { return is_dropped[node] != 0; });
  }
}

}  // namespace berth::plugins
