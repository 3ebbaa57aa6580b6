// A good set of many candidates.
//
// Every node costs score: it is one more, what it gives beyond the demand is waste, and what others
// use there counts against it. Around a set the score is nearly linear, so each node has a price.
// Greedy: the node that adds most to what is missing for its price, until nothing is missing.
// Prices come from the sums of the last set, so a second pass knows more than the first.

#include <algorithm>
#include <bit>
#include <utility>
#include <vector>

#include "plugins/node_reservation/node_set_search.h"

namespace berth::plugins {

namespace {

using Sums = NodeSetMeasure::Sums;

int width(std::int64_t amount) {
  return static_cast<int>(std::bit_width(static_cast<std::uint64_t>(amount)));
}

// What a node adds to what is missing: the sum over dimensions, in 2^-26 of the target; 0 only if
// it adds nothing.
class Gains {
 public:
  explicit Gains(const NodeSetMeasure& measure) : measure_(measure) {
    for (std::size_t d = 0; d < measure.dimensions(); ++d) {
      const std::int64_t target = std::max<std::int64_t>(1, measure.target(d));
      shift_.push_back(std::max(0, width(target) - 32));
      reciprocal_.push_back((std::uint64_t{1} << 58) /
                            static_cast<std::uint64_t>(target >> shift_.back()));
    }
    left_.assign(measure.dimensions(), 0);
  }

  void set_left(const Sums& sums) {
    for (std::size_t d = 0; d < left_.size(); ++d) {
      left_[d] = std::max<std::int64_t>(0, measure_.target(d) - sums.gives[d]);
    }
  }

  std::uint64_t operator()(std::uint32_t node) const {
    std::uint64_t gain = 0;
    for (std::size_t d = 0; d < left_.size(); ++d) {
      const std::int64_t amount = std::min(measure_.gives(node, d), left_[d]);
      if (amount <= 0) continue;
      gain += 1 + ((static_cast<std::uint64_t>(amount >> shift_[d]) * reciprocal_[d]) >> 32);
    }
    return gain;
  }

 private:
  const NodeSetMeasure& measure_;
  std::vector<int> shift_;
  std::vector<std::uint64_t> reciprocal_;
  std::vector<std::int64_t> left_;
};

// What a node costs in score around a set, in 2^-44; at least 1.
class Prices {
 public:
  Prices(const NodeSetMeasure& measure, const Sums& around) : measure_(measure) {
    const auto folded = static_cast<std::int64_t>(std::max<std::size_t>(1, measure.dimensions()));
    one_node_ = of_one(15) / static_cast<std::int64_t>(std::max<std::size_t>(1, around.nodes));
    for (std::size_t d = 0; d < measure.dimensions(); ++d) {
      const std::int64_t sum = std::max<std::int64_t>(1, around.gives[d]);
      Terms terms;
      terms.shift = std::max(0, width(sum) - 26);
      terms.most = sum < (std::int64_t{1} << 50) ? sum << 10 : sum;
      const std::int64_t whole = sum >> terms.shift;
      const std::int64_t spare = measure.spare(d) >> terms.shift;
      terms.own = of_one(35) / folded / whole;
      terms.idle = of_one(10) / folded / whole;
      terms.gives = of_one(45) / folded / whole;
      if (measure.spare(d) > 0) {
        terms.gives += of_one(40) / folded / std::max(spare, whole / 64 + 1);
      }
      terms_.push_back(terms);
    }
  }

  std::int64_t operator()(std::uint32_t node) const {
    std::int64_t price = one_node_;
    for (std::size_t d = 0; d < terms_.size(); ++d) {
      const Terms& terms = terms_[d];
      const std::int64_t gives = std::clamp<std::int64_t>(measure_.gives(node, d), 0, terms.most);
      const std::int64_t own = std::clamp<std::int64_t>(measure_.own(node, d), 0, gives);
      const std::int64_t idle = std::clamp<std::int64_t>(measure_.idle(node, d), 0, gives);
      price += (gives >> terms.shift) * terms.gives - (own >> terms.shift) * terms.own -
               (idle >> terms.shift) * terms.idle;
    }
    return std::max<std::int64_t>(1, price);
  }

 private:
  struct Terms {
    int shift = 0;
    std::int64_t most = 0;
    std::int64_t gives = 0;
    std::int64_t own = 0;
    std::int64_t idle = 0;
  };

  static std::int64_t of_one(std::int64_t percent) {
    return percent * (std::int64_t{1} << 44) / 100;
  }

  const NodeSetMeasure& measure_;
  std::int64_t one_node_ = 0;
  std::vector<Terms> terms_;
};

// By candidate: what a gain is multiplied by, so that gains for less come first; below 2^33.
using Values = std::vector<std::uint64_t>;

std::uint64_t value_of(std::int64_t price) {
  const std::uint64_t value =
      (std::uint64_t{1} << 47) / static_cast<std::uint64_t>(std::max<std::int64_t>(1, price >> 14));
  return std::min(value, (std::uint64_t{1} << 33) - 1);
}

Values values_around(const NodeSetMeasure& measure, const Sums& around, const NodePicks& pool) {
  const Prices prices(measure, around);
  Values values(measure.size(), 0);
  for (const std::uint32_t node : pool) values[node] = value_of(prices(node));
  return values;
}

// From the pool, in the order in which they are picked.
NodePicks picked(const NodeSetMeasure& measure, const NodePicks& pool, const NodePicks& held,
                 const Values& values) {
  NodePicks picks;
  Gains gains(measure);
  Sums sums = measure.sums_of(held);
  std::vector<std::uint8_t> is_in(measure.size(), 0);
  for (const std::uint32_t node : held) is_in[node] = 1;
  while (!measure.is_enough(sums)) {
    gains.set_left(sums);
    std::uint64_t most = 0;
    std::uint32_t best = 0;
    for (const std::uint32_t node : pool) {
      if (is_in[node] != 0) continue;
      const std::uint64_t worth =
          measure.nodes_asked() != 0 ? values[node] : gains(node) * values[node];
      if (worth <= most) continue;
      most = worth;
      best = node;
    }
    if (most == 0) break;
    picks.push_back(best);
    is_in[best] = 1;
    measure.add(sums, best);
  }
  return picks;
}

Sums expected_sums(const NodeSetMeasure& measure) {
  Sums sums = measure.sums_of(measure.useful());
  if (measure.nodes_asked() != 0) {
    const auto all = static_cast<std::int64_t>(std::max<std::size_t>(1, sums.nodes));
    const auto asked = static_cast<std::int64_t>(measure.nodes_asked());
    for (std::int64_t& each : sums.gives) each = each / all * asked;
    sums.nodes = measure.nodes_asked();
    return sums;
  }
  for (std::size_t d = 0; d < measure.dimensions(); ++d) sums.gives[d] = measure.target(d);
  sums.nodes = 1;
  return sums;
}

}  // namespace

NodePicks additions_by_score(const NodeSetMeasure& measure, const NodePicks& held) {
  const Values values = values_around(measure, expected_sums(measure), measure.useful());
  return picked(measure, measure.useful(), held, values);
}

NodePicks additions_by_size(const NodeSetMeasure& measure, const NodePicks& held) {
  if (measure.nodes_asked() != 0) return additions_by_score(measure, held);
  return picked(measure, measure.useful(), held, Values(measure.size(), 1));
}

FoundSet search_greedily(const NodeSetMeasure& measure) {
  FoundSet found;
  found.nodes = additions_by_size(measure, {});
  std::sort(found.nodes.begin(), found.nodes.end());
  drop_needless(measure, found.nodes, [](std::uint32_t) { return true; });
  found.fewest = found.nodes.size();
  for (int pass = 0; pass < 4; ++pass) {
    const Sums sums = measure.sums_of(found.nodes);
    NodePicks nodes =
        picked(measure, measure.useful(), {}, values_around(measure, sums, measure.useful()));
    std::sort(nodes.begin(), nodes.end());
    drop_needless(measure, nodes, [](std::uint32_t) { return true; });
    found.fewest = std::min(found.fewest, nodes.size());
    if (measure.score(measure.sums_of(nodes), found.fewest) <= measure.score(sums, found.fewest)) {
      break;
    }
    found.nodes = std::move(nodes);
  }
  return found;
}

}  // namespace berth::plugins
