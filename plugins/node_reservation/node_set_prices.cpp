#include "plugins/node_reservation/node_set_prices.h"

#include <algorithm>
#include <bit>

namespace berth::plugins {

namespace {

int width(std::int64_t amount) {
  return static_cast<int>(std::bit_width(static_cast<std::uint64_t>(amount)));
}

constexpr std::int64_t of_one(std::int64_t percent) {
  return percent * (std::int64_t{1} << 44) / 100;
}

}  // namespace

NodeGains::NodeGains(const NodeSetMeasure& measure) : measure_(measure) {
  for (std::size_t d = 0; d < measure.dimensions(); ++d) {
    const std::int64_t target = std::max<std::int64_t>(1, measure.target(d));
    shift_.push_back(std::max(0, width(target) - 32));
    reciprocal_.push_back((std::uint64_t{1} << 58) /
                          static_cast<std::uint64_t>(target >> shift_.back()));
  }
  weighted_ = reciprocal_;
}

void NodeGains::set_weight(std::size_t d, std::uint64_t weight) {
  weighted_[d] = (reciprocal_[d] >> 10) * weight;
}

void NodeGains::set_left(const NodeSetMeasure::Sums& sums) {
  missing_.clear();
  for (std::size_t d = 0; d < shift_.size(); ++d) {
    const std::int64_t left = measure_.target(d) - sums.gives[d];
    if (left > 0) missing_.push_back({d, left, shift_[d], weighted_[d]});
  }
}

// Amounts are shifted so that a sum has at most 26 bits. No node counts for more than 1,024 sums,
// and waste for no more than 64 times its share of the sum: products stay below 2^62.
NodePrices::NodePrices(const NodeSetMeasure& measure, const NodeSetMeasure::Sums& around,
                       Against against)
    : measure_(measure) {
  const auto folded = static_cast<std::int64_t>(std::max<std::size_t>(1, measure.dimensions()));
  one_node_ = of_one(15) / static_cast<std::int64_t>(std::max<std::size_t>(1, around.nodes));
  for (std::size_t d = 0; d < measure.dimensions(); ++d) {
    const std::int64_t sum = std::max<std::int64_t>(1, around.gives[d]);
    Terms terms;
    terms.shift = std::max(0, width(sum) - 26);
    terms.most = sum < (std::int64_t{1} << 51) ? sum << 10 : std::int64_t{1} << 61;
    const std::int64_t whole = sum >> terms.shift;
    terms.own = of_one(35) / folded / whole;
    terms.idle = of_one(10) / folded / whole;
    terms.gives = terms.own + terms.idle;
    if (against == Against::set) {
      const std::int64_t own = std::min(around.own[d], sum) >> terms.shift;
      const std::int64_t idle = std::min(around.idle[d], sum) >> terms.shift;
      terms.gives = (terms.own * own + terms.idle * idle) / whole;
    }
    if (measure.spare(d) > 0) {
      const std::int64_t spare = measure.spare(d) >> terms.shift;
      terms.gives += of_one(40) / folded / std::max(spare, whole / 64 + 1);
    }
    terms_.push_back(terms);
  }
}

std::uint64_t NodePrices::value(std::uint32_t node) const {
  const std::int64_t price = std::max<std::int64_t>(1, (*this)(node) >> 14);
  const std::uint64_t value = (std::uint64_t{1} << 47) / static_cast<std::uint64_t>(price);
  return std::min(value, (std::uint64_t{1} << 33) - 1);
}

}  // namespace berth::plugins
