#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "plugins/node_reservation/node_set_measure.h"

namespace berth::plugins {

// How much a node adds to what is missing: the sum over dimensions, in 2^-26 of the target,
// weighted; 0 only if it adds nothing.
class NodeGains {
 public:
  explicit NodeGains(const NodeSetMeasure& measure);

  // 0 to 1, in 2^-10; the initial weight is 1.
  void set_weight(std::size_t d, std::uint64_t weight);
  void set_left(const NodeSetMeasure::Sums& sums);
  std::uint64_t operator()(std::uint32_t node) const {
    std::uint64_t gain = 0;
    for (const Missing& each : missing_) gain += in(node, each);
    return gain;
  }
  // In one of the dimensions that miss something, by position.
  std::size_t missing() const { return missing_.size(); }
  std::uint64_t in_one(std::uint32_t node, std::size_t position) const {
    return in(node, missing_[position]);
  }

 private:
  struct Missing {
    std::size_t dimension = 0;
    std::int64_t amount = 0;  // > 0
    int shift = 0;
    std::uint64_t reciprocal = 0;  // weighted
  };

  std::uint64_t in(std::uint32_t node, const Missing& missing) const {
    const std::int64_t amount = std::min(measure_.gives(node, missing.dimension), missing.amount);
    if (amount <= 0) return 0;
    return 1 + ((static_cast<std::uint64_t>(amount >> missing.shift) * missing.reciprocal) >> 32);
  }

  const NodeSetMeasure& measure_;
  std::vector<int> shift_;
  std::vector<std::uint64_t> reciprocal_;
  std::vector<std::uint64_t> weighted_;  // reciprocal
  std::vector<Missing> missing_;
};

// How much a node costs in score, as a linear estimate around a set, in 2^-44: it is one more, what
// it gives may be waste, and its own use and idle room are better or worse than those of the set.
class NodePrices {
 public:
  // Against sets that are all own use and idle room, so that no price is below 1, or against the
  // set itself.
  enum class Against : std::uint8_t { ideal, set };

  NodePrices(const NodeSetMeasure& measure, const NodeSetMeasure::Sums& around, Against against);

  std::int64_t operator()(std::uint32_t node) const {
    std::int64_t price = one_node_;
    for (std::size_t d = 0; d < terms_.size(); ++d) {
      const Terms& terms = terms_[d];
      const std::int64_t gives = std::min(measure_.gives(node, d), terms.most);
      const std::int64_t own = std::min(measure_.own(node, d), gives);
      const std::int64_t idle = std::min(measure_.idle(node, d), gives);
      price += (gives >> terms.shift) * terms.gives - (own >> terms.shift) * terms.own -
               (idle >> terms.shift) * terms.idle;
    }
    return price;
  }
  // A gain times this: gains for less come first. Below 2^33.
  std::uint64_t value(std::uint32_t node) const;

 private:
  struct Terms {
    int shift = 0;
    std::int64_t most = 0;
    std::int64_t gives = 0;
    std::int64_t own = 0;
    std::int64_t idle = 0;
  };

  const NodeSetMeasure& measure_;
  std::int64_t one_node_ = 0;
  std::vector<Terms> terms_;
};

}  // namespace berth::plugins
