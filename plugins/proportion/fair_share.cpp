#include "plugins/proportion/fair_share.h"

#include <algorithm>
#include <tuple>

#include "berth/base/check.h"

// The level rises from 0. A claim joins when level * weight passes its lower bound and leaves at
// its upper one; in between the sum grows by the weights of those that have joined. So the level is
// found by going through the bounds in their order, and it is a fraction of integers.

namespace berth::plugins {

void FairShare::divide(std::int64_t total, std::span<const Claim> claims,
                       std::span<std::int64_t> shares, std::span<std::uint8_t> is_short) {
  std::fill(is_short.begin(), is_short.end(), 0);
  __int128 least = 0;
  __int128 most = 0;
  for (const Claim& claim : claims) {
    least += claim.lower;
    most += claim.upper;
  }
  BERTH_CHECK(least <= total);
  if (most <= total) {
    for (std::size_t i = 0; i < claims.size(); ++i) shares[i] = claims[i].upper;
    return;
  }
  const Level level = level_of(total, claims);
  remainders_.clear();
  __int128 left = total;
  for (std::size_t i = 0; i < claims.size(); ++i) {
    const auto& [weight, lower, upper] = claims[i];
    const __int128 exact = level.amount * weight;  // in level.weight-ths
    if (exact <= lower * level.weight) {
      shares[i] = lower;
    } else if (exact >= upper * level.weight) {
      shares[i] = upper;
    } else {
      shares[i] = static_cast<std::int64_t>(exact / level.weight);
      remainders_.push_back({exact % level.weight, static_cast<std::uint32_t>(i)});
      is_short[i] = exact % level.weight != 0 ? 1 : 0;
    }
    left -= shares[i];
  }
  hand_out_remainders(static_cast<std::int64_t>(left), shares, is_short);
}

FairShare::Level FairShare::level_of(std::int64_t total, std::span<const Claim> claims) {
  bounds_.clear();
  __int128 fixed = 0;
  for (std::size_t i = 0; i < claims.size(); ++i) {
    const auto& [weight, lower, upper] = claims[i];
    fixed += lower;
    if (lower == upper) continue;
    bounds_.push_back({lower, weight, static_cast<std::uint32_t>(i), false});
    bounds_.push_back({upper, weight, static_cast<std::uint32_t>(i), true});
  }
  std::sort(bounds_.begin(), bounds_.end(), [](const Bound& left, const Bound& right) {
    const __int128 l = static_cast<__int128>(left.amount) * right.weight;
    const __int128 r = static_cast<__int128>(right.amount) * left.weight;
    return std::tie(l, left.claim, left.is_upper) < std::tie(r, right.claim, right.is_upper);
  });
  __int128 weight = 0;
  for (const Bound& bound : bounds_) {
    // Up to this bound, fixed + level * weight is what all have together.
    if ((total - fixed) * bound.weight <= bound.amount * weight) break;
    weight += bound.is_upper ? -bound.weight : bound.weight;
    fixed += bound.is_upper ? bound.amount : -bound.amount;
  }
  // Nobody has joined: all are at their lower bounds.
  return weight == 0 ? Level{0, 1} : Level{total - fixed, weight};
}

void FairShare::hand_out_remainders(std::int64_t units, std::span<std::int64_t> shares,
                                    std::span<std::uint8_t> is_short) {
  if (units == 0) return;
  std::sort(remainders_.begin(), remainders_.end(),
            [](const Remainder& left, const Remainder& right) {
              return left.lost != right.lost ? left.lost > right.lost : left.claim < right.claim;
            });
  for (std::size_t i = 0; i < static_cast<std::size_t>(units); ++i) {
    ++shares[remainders_[i].claim];
    is_short[remainders_[i].claim] = 0;
  }
}

}  // namespace berth::plugins
