// A good set of many candidates.
//
// Every node costs score: it is one more, what it gives beyond the demand is waste, and what others
// use there counts against it. Around a set the score is nearly linear, so each node has a price.
// Greedy: the node that adds most to what is missing for its price, until nothing is missing.
// Prices come from the sums of the last set, so a second pass knows more than the first. Only the
// first two passes look at all candidates; later ones at a short list. Swaps come last.

#include <algorithm>
#include <functional>
#include <utility>
#include <vector>

#include "plugins/node_reservation/node_set_picking.h"
#include "plugins/node_reservation/node_set_search.h"
#include "plugins/node_reservation/node_set_swaps.h"

namespace berth::plugins {

namespace {

using Sums = NodeSetMeasure::Sums;

constexpr int kPasses = 4;
constexpr std::size_t kListed = 64;        // on the short list, besides
constexpr std::size_t kListedPerNode = 3;  // for each node of the first set

class Greedy {
 public:
  explicit Greedy(const NodeSetMeasure& measure) : measure_(measure), picking_(measure) {}

  FoundSet run() {
    measure_.nodes_asked() != 0 ? find_so_many() : find_amounts();
    improve_by_swaps(measure_, picking_, found_.nodes, pool_, found_.fewest);
    found_.fewest = std::min(found_.fewest, found_.nodes.size());
    return std::move(found_);
  }

 private:
  void find_amounts() {
    picking_.fill_up(found_.nodes, measure_.useful());
    picking_.drop_needless(found_.nodes);
    found_.fewest = found_.nodes.size();
    set_values(measure_.useful(), measure_.sums_of(found_.nodes));
    make_short_list();
    for (int pass = 0; pass < kPasses; ++pass) {
      NodePicks nodes;
      picking_.fill_up(nodes, pool_);
      picking_.drop_needless(nodes);
      found_.fewest = std::min(found_.fewest, nodes.size());
      if (!take_if_better(std::move(nodes))) return;
      set_values(pool_, measure_.sums_of(found_.nodes));
    }
  }

  // So many with the lowest prices, again and again.
  void find_so_many() {
    found_.fewest = measure_.nodes_asked();
    pool_ = measure_.useful();
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

  void set_values(const NodePicks& pool, const Sums& around) {
    const NodePrices prices(measure_, around, NodePrices::Against::ideal);
    for (const std::uint32_t node : pool) picking_.set_value(node, prices.value(node));
  }

  // Those that add most for their price, in all dimensions together and in each, and the first set.
  void make_short_list() {
    const std::size_t listed = kListed + kListedPerNode * found_.nodes.size();
    if (measure_.useful().size() <= 2 * listed) {
      pool_ = measure_.useful();
      return;
    }
    NodeGains gains(measure_);
    gains.set_left(measure_.none());
    std::vector<std::uint8_t> is_listed(measure_.size(), 0);
    for (const std::uint32_t node : found_.nodes) is_listed[node] = 1;
    list_best(listed, is_listed, gains);
    if (measure_.dimensions() > 1) {
      for (std::size_t d = 0; d < measure_.dimensions(); ++d) {
        list_best(listed / 2, is_listed,
                  [&](std::uint32_t node) { return gains.in_dimension(node, d); });
      }
    }
    for (const std::uint32_t node : measure_.useful()) {
      if (is_listed[node] != 0) pool_.push_back(node);
    }
  }

  template <class Gain>
  void list_best(std::size_t count, std::vector<std::uint8_t>& is_listed, const Gain& gain) {
    ranking_.clear();
    for (const std::uint32_t node : measure_.useful()) {
      ranking_.emplace_back(gain(node) * picking_.value(node), ~node);
    }
    const auto end = ranking_.begin() + static_cast<std::ptrdiff_t>(count);
    std::nth_element(ranking_.begin(), end, ranking_.end(), std::greater<>());
    for (auto each = ranking_.begin(); each != end; ++each) is_listed[~each->second] = 1;
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
  NodePicking picking_;
  NodePicks pool_;
  FoundSet found_;
  std::vector<std::pair<std::uint64_t, std::uint32_t>> ranking_;
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

FoundSet search_greedily(const NodeSetMeasure& measure) { return Greedy(measure).run(); }

NodePicks additions_by_score(const NodeSetMeasure& measure, const NodePicks& held) {
  return additions(measure, held, true);
}

NodePicks additions_by_size(const NodeSetMeasure& measure, const NodePicks& held) {
  return additions(measure, held, measure.nodes_asked() != 0);
}

}  // namespace berth::plugins
