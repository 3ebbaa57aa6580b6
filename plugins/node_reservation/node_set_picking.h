#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "plugins/node_reservation/node_set_prices.h"

namespace berth::plugins {

// Grows and shrinks one set greedily. Only its scratch memory outlives a call.
class NodePicking {
 public:
  explicit NodePicking(const NodeSetMeasure& measure);

  // By candidate, a factor of its gain. The initial value is 1.
  void set_value(std::uint32_t node, std::uint64_t value) { values_[node] = value; }
  std::uint64_t value(std::uint32_t node) const { return values_[node]; }

  NodeGains& gains() { return gains_; }

  // Adds nodes of the pool to the set, each the one with the largest gain times value, until the
  // set is enough or none gains. `never` is not added.
  void fill_up(NodePicks& nodes, const NodePicks& pool, std::uint32_t never = kNone);
  // Drops what is not needed: the node without which the score is best, again and again; of many
  // nodes, some at a time. Held nodes may be spared. The set is sorted. Precondition: it is enough.
  void drop_needless(NodePicks& nodes, bool only_new = false);

  static constexpr std::uint32_t kNone = ~std::uint32_t{0};

 private:
  struct Offer {
    std::uint64_t worth = 0;
    std::uint32_t node = 0;
    // Of equals, the first node.
    friend bool operator<(const Offer& a, const Offer& b) {
      return a.worth != b.worth ? a.worth < b.worth : a.node > b.node;
    }
  };

  std::uint64_t worth(std::uint32_t node) const {
    return measure_.nodes_asked() != 0 ? values_[node] : gains_(node) * values_[node];
  }
  void rank(const NodePicks& pool);
  void take_best(NodePicks& nodes, NodeSetMeasure::Sums& sums);

  const NodeSetMeasure& measure_;
  NodeGains gains_;
  std::vector<std::uint64_t> values_;
  std::vector<std::uint8_t> is_out_;  // in the set, or never added
  std::vector<Offer> offers_;
  std::vector<std::pair<std::int64_t, std::uint32_t>> ranking_;
};

}  // namespace berth::plugins
