// A good set of many candidates.
//
// Every node costs score: it is one more, what it gives beyond the demand is waste, and what others
// use there counts against it. Around a set the score is nearly linear, so each node has a price.
// Greedy: the node that adds most to what is missing for its price, until nothing is missing.
// Prices come from the sums of the last set, so a second pass knows more than the first. All of it
// looks at a short list only, where candidates are many. Swaps come last.

#include <algorithm>
#include <functional>
#include <utility>
#include <vector>

#include "plugins/node_reservation/node_set_picking.h"
#include "plugins/node_reservation/node_set_search.h"
#include "plugins/node_reservation/node_set_short_list.h"
#include "plugins/node_reservation/node_set_swaps.h"

namespace berth::plugins {

namespace {

using Sums = NodeSetMeasure::Sums;

constexpr std::size_t kFewFactors[] = {1, 8};
constexpr int kPasses = 2;
constexpr std::uint64_t kWhole = 1'024;
constexpr std::int64_t kParts = 1'024;

class Greedy {
 public:
  explicit Greedy(const NodeSetMeasure& measure)
      : measure_(measure),
        pool_(measure.useful()),
        picking_(measure),
        weights_(measure.dimensions(), kWhole) {}

  FoundSet run() {
    measure_.nodes_asked() != 0 ? find_so_many() : find_amounts();
    improve_by_swaps(measure_, picking_, found_.nodes, pool_, found_.fewest);
    found_.fewest = std::min(found_.fewest, found_.nodes.size());
    return std::move(found_);
  }

 private:
  // First as few as possible; then by price, with more or less weight on their number.
  void find_amounts() {
    try_greedily();
    found_.fewest = found_.nodes.size();
    for (const std::size_t factor : kFewFactors) {
      std::fill(weights_.begin(), weights_.end(), kWhole);
      for (int pass = 0; pass < kPasses; ++pass) {
        Sums around = measure_.sums_of(found_.nodes);
        around.nodes = std::max<std::size_t>(1, around.nodes / factor);
        set_values(around);
        try_greedily();
      }
    }
  }

  // A dimension of which a set has too much counts less the next time.
  void try_greedily() {
    NodePicks nodes;
    for (std::size_t d = 0; d < measure_.dimensions(); ++d) {
      picking_.gains().set_weight(d, weights_[d]);
    }
    picking_.fill_up(nodes, pool_);
    picking_.drop_needless(nodes);
    const Sums sums = measure_.sums_of(nodes);
    for (std::size_t d = 0; d < measure_.dimensions(); ++d) {
      const std::int64_t part = std::max<std::int64_t>(1, measure_.target(d) / kParts);
      const auto over = static_cast<std::uint64_t>(sums.gives[d] / part);
      weights_[d] = std::max(weights_[d] * kWhole / std::max(kWhole, over), kWhole / 64);
    }
    if (found_.fewest != 0) found_.fewest = std::min(found_.fewest, nodes.size());
    take_if_better(std::move(nodes));
  }

  // So many with the lowest prices, again and again.
  void find_so_many() {
    found_.fewest = measure_.nodes_asked();
    Sums around = measure_.sums_of(pool_);
    const auto all = static_cast<std::int64_t>(around.nodes);
    const auto asked = static_cast<std::int64_t>(measure_.nodes_asked());
    for (auto* const column : {&around.gives, &around.own, &around.idle}) {
      for (std::int64_t& each : *column) each = each / all * asked;
    }
    for (int pass = 0; pass < 2 * kPasses; ++pass) {
      const NodePrices prices(measure_, around, NodePrices::Against::set);
      std::vector<std::pair<std::int64_t, std::uint32_t>> priced;
      for (const std::uint32_t node : pool_) priced.emplace_back(prices(node), node);
      const auto end = priced.begin() + asked;
      std::nth_element(priced.begin(), end - 1, priced.end());
      NodePicks nodes;
      for (auto each = priced.begin(); each != end; ++each) nodes.push_back(each->second);
      std::sort(nodes.begin(), nodes.end());
      if (!take_if_better(std::move(nodes))) return;
      around = measure_.sums_of(found_.nodes);
    }
  }

  void set_values(const Sums& around) {
    const NodePrices prices(measure_, around, NodePrices::Against::ideal);
    for (const std::uint32_t node : pool_) picking_.set_value(node, prices.value(node));
  }

  bool take_if_better(NodePicks nodes) {
    const std::int64_t score = measure_.score(measure_.sums_of(nodes), found_.fewest);
    if (!found_.nodes.empty() &&
        score <= measure_.score(measure_.sums_of(found_.nodes), found_.fewest)) {
      return false;
    }
    found_.nodes = std::move(nodes);
    return true;
  }

  const NodeSetMeasure& measure_;
  const NodePicks& pool_;
  NodePicking picking_;
  FoundSet found_;
  std::vector<std::uint64_t> weights_;  // of dimensions
};

NodePicks additions(const NodeSetMeasure& measure, const NodePicks& held, bool by_score) {
  NodePicking picking(measure);
  if (by_score) {
    // Around a set that is just enough; of so many nodes, around all.
    Sums around = measure.sums_of(measure.useful());
    for (std::size_t d = 0; d < measure.dimensions() && measure.nodes_asked() == 0; ++d) {
      around.gives[d] = measure.target(d);
    }
    const NodePrices prices(measure, around, NodePrices::Against::ideal);
    for (const std::uint32_t node : measure.useful()) picking.set_value(node, prices.value(node));
  }
  NodePicks nodes = held;
  picking.fill_up(nodes, measure.useful());
  nodes.erase(nodes.begin(), nodes.begin() + static_cast<std::ptrdiff_t>(held.size()));
  return nodes;
}

}  // namespace

FoundSet search_greedily(const NodeSetMeasure& measure) {
  const NodePicks listed = short_list(measure);
  if (listed.size() == measure.useful().size()) return Greedy(measure).run();
  const NodeProblem part = measure.part(listed);
  NodeSetMeasure measure_of_part(part.choices, part.demand, part.terms);
  if (!measure_of_part.clip_demand()) return Greedy(measure).run();
  FoundSet found = Greedy(measure_of_part).run();
  for (std::uint32_t& node : found.nodes) node = listed[node];
  return found;
}

NodePicks additions_by_score(const NodeSetMeasure& measure, const NodePicks& held) {
  return additions(measure, held, true);
}

NodePicks additions_by_size(const NodeSetMeasure& measure, const NodePicks& held) {
  return additions(measure, held, measure.nodes_asked() != 0);
}

}  // namespace berth::plugins
