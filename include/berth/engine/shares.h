#pragma once

#include <cstdint>
#include <vector>

#include "berth/model/cluster.h"

namespace berth::engine {

// Shares of a node's allocatable in integers (D12), without a division: per node and dimension the
// reciprocal r = ceil(100 * 2^56 / allocatable) is kept, and amount * r >> 56 is the percentage.
// Rounding: down, after an error below amount / 2^56 upwards, so exact quotients come out exact.
// Amounts are at most 2^53 and at most the allocatable, so nothing overflows.
class Shares {
 public:
  static constexpr int kPercentShift = 56;
  static constexpr int kFineShift = 46;  // 1/1024 of a percent: 0..102,400

  // Computes the reciprocals again after a change of a specification.
  void refresh(const Cluster& cluster);

  // By node; 0 for a node without that resource, so that its share of nothing is 0.
  const std::int64_t* reciprocals(Dimension dimension) const {
    return reciprocals_[dimension.index()].data();
  }

  static std::int64_t percent(std::int64_t amount, std::int64_t reciprocal) {
    return (amount * reciprocal) >> kPercentShift;
  }
  static std::int64_t fine(std::int64_t amount, std::int64_t reciprocal) {
    return (amount * reciprocal) >> kFineShift;
  }

 private:
  std::uint64_t spec_version_ = 0;
  std::vector<std::vector<std::int64_t>> reciprocals_;
};

}  // namespace berth::engine
