#include "plugins/node_reservation/node_set_swaps.h"

#include <algorithm>
#include <functional>
#include <utility>
#include <vector>

namespace berth::plugins {

namespace {

using Sums = NodeSetMeasure::Sums;

constexpr std::size_t kLooksMost = 4'000;    // at nodes, to mend sets
constexpr std::size_t kSwapsMost = 100'000;  // pairs that are compared

class Swaps {
 public:
  Swaps(const NodeSetMeasure& measure, NodePicking& picking, const NodePicks& pool,
        std::size_t fewest, NodePicks nodes)
      : measure_(measure), picking_(picking), pool_(pool), fewest_(fewest) {
    is_in_.assign(measure.size(), 0);
    set(std::move(nodes));
  }

  NodePicks run() {
    do {
      while (swap_one()) {
      }
    } while (mend_one());
    return nodes_;
  }

 private:
  void set(NodePicks nodes) {
    for (const std::uint32_t node : nodes_) is_in_[node] = 0;
    nodes_ = std::move(nodes);
    for (const std::uint32_t node : nodes_) is_in_[node] = 1;
    sums_ = measure_.sums_of(nodes_);
    score_ = measure_.score(sums_, fewest_);
  }

  bool take_if_better(NodePicks nodes) {
    picking_.drop_needless(nodes);
    if (measure_.score(measure_.sums_of(nodes), fewest_) <= score_) return false;
    set(std::move(nodes));
    return true;
  }

  // By price around the set: the dearest node for the cheapest that will do.
  bool swap_one() {
    const NodePrices prices(measure_, sums_, NodePrices::Against::set);
    Prices inside = priced(prices, nodes_);
    Prices outside = priced(prices, outside_of_set());
    std::sort(inside.begin(), inside.end(), std::greater<>());
    std::sort(outside.begin(), outside.end());
    bool is_better = false;
    for (const auto& [dear, out] : inside) {
      for (const auto& [cheap, in] : outside) {
        if (cheap >= dear || swaps_ > kSwapsMost) break;
        ++swaps_;
        if (is_in_[in] != 0 || !measure_.is_enough_instead(sums_, out, in)) continue;
        Sums sums = sums_;
        measure_.remove(sums, out);
        measure_.add(sums, in);
        if (measure_.score(sums, fewest_) <= score_) break;
        NodePicks nodes = nodes_;
        std::replace(nodes.begin(), nodes.end(), out, in);
        is_better = take_if_better(std::move(nodes)) || is_better;
        break;
      }
    }
    return is_better;
  }

  using Prices = std::vector<std::pair<std::int64_t, std::uint32_t>>;
  static Prices priced(const NodePrices& prices, const NodePicks& nodes) {
    Prices priced;
    for (const std::uint32_t node : nodes) priced.emplace_back(prices(node), node);
    return priced;
  }
  NodePicks outside_of_set() const {
    NodePicks outside;
    for (const std::uint32_t node : pool_) {
      if (is_in_[node] == 0) outside.push_back(node);
    }
    return outside;
  }

  // One node out, or one in, or both; what is missing then is filled up.
  bool mend_one() {
    if (looks_ > kLooksMost) return false;
    if (measure_.nodes_asked() != 0) return swap_any();
    const NodePrices prices(measure_, sums_, NodePrices::Against::ideal);
    for (const std::uint32_t node : pool_) picking_.set_value(node, prices.value(node));
    const NodePicks inside = nodes_;
    const NodePicks outside = outside_of_set();
    for (const std::uint32_t out : inside) {
      if (mend(out, NodePicking::kNone)) return true;
    }
    for (const std::uint32_t in : outside) {
      if (mend(NodePicking::kNone, in)) return true;
    }
    for (const std::uint32_t out : inside) {
      for (const std::uint32_t in : outside) {
        if (mend(out, in)) return true;
        if (looks_ > kLooksMost) return false;
      }
    }
    return false;
  }

  bool mend(std::uint32_t out, std::uint32_t in) {
    looks_ += nodes_.size() + (out == NodePicking::kNone ? 0 : pool_.size());
    if (looks_ > kLooksMost) return false;
    NodePicks nodes = nodes_;
    if (out != NodePicking::kNone) std::erase(nodes, out);
    if (in != NodePicking::kNone) nodes.push_back(in);
    if (!measure_.is_enough(measure_.sums_of(nodes))) picking_.fill_up(nodes, pool_, out);
    return measure_.is_enough(measure_.sums_of(nodes)) && take_if_better(std::move(nodes));
  }

  bool swap_any() {
    const NodePicks outside = outside_of_set();
    for (const std::uint32_t out : nodes_) {
      for (const std::uint32_t in : outside) {
        if (++looks_ > kLooksMost) return false;
        Sums sums = sums_;
        measure_.remove(sums, out);
        measure_.add(sums, in);
        if (measure_.score(sums, fewest_) <= score_) continue;
        NodePicks nodes = nodes_;
        std::replace(nodes.begin(), nodes.end(), out, in);
        std::sort(nodes.begin(), nodes.end());
        set(std::move(nodes));
        return true;
      }
    }
    return false;
  }

  const NodeSetMeasure& measure_;
  NodePicking& picking_;
  const NodePicks& pool_;
  std::size_t fewest_;
  NodePicks nodes_;
  Sums sums_;
  std::int64_t score_ = 0;
  std::vector<std::uint8_t> is_in_;
  std::size_t looks_ = 0;
  std::size_t swaps_ = 0;
};

}  // namespace

void improve_by_swaps(const NodeSetMeasure& measure, NodePicking& picking, NodePicks& nodes,
                      const NodePicks& pool, std::size_t fewest) {
  nodes = Swaps(measure, picking, pool, fewest, std::move(nodes)).run();
}

}  // namespace berth::plugins
