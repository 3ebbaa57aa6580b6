#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace berth::plugins {

// Divides one amount among claims by weight, within bounds: weighted max-min fairness with a floor
// and a ceiling for each. A pure function; only its scratch memory is kept between calls.
class FairShare {
 public:
  struct Claim {
    std::int64_t weight = 1;  // >= 1, at most 2^31
    std::int64_t lower = 0;   // >= 0
    std::int64_t upper = 0;   // >= lower
  };

  // share[i] = clamp(level * weight, lower, upper), the level such that the shares add up to
  // min(total, sum of uppers). Precondition: the sum of lowers is at most `total`. Amounts are at
  // most 2^62.
  //
  // Rounding: exact shares are rounded down, and the units that this leaves over go, one each, to
  // those that lost most by it; ties to the earlier claim. So no share is off by a whole unit, and
  // sums are exact.
  // is_short[i]: its exact share is more than that.
  void divide(std::int64_t total, std::span<const Claim> claims, std::span<std::int64_t> shares,
              std::span<std::uint8_t> is_short);

 private:
  struct Bound {
    std::int64_t amount = 0;
    std::int64_t weight = 1;
    std::uint32_t claim = 0;
    bool is_upper = false;
  };
  struct Level {
    __int128 amount = 0;
    __int128 weight = 0;
  };
  struct Remainder {
    __int128 lost = 0;
    std::uint32_t claim = 0;
  };

  Level level_of(std::int64_t total, std::span<const Claim> claims);
  void hand_out_remainders(std::int64_t units, std::span<std::int64_t> shares,
                           std::span<std::uint8_t> is_short);

  std::vector<Bound> bounds_;
  std::vector<Remainder> remainders_;
};

}  // namespace berth::plugins
