#include "plugins/proportion/fair_share.h"

#include <gtest/gtest.h>

#include <numeric>
#include <random>

#include "support/seeds.h"

namespace berth::plugins {
namespace {

using Shares = std::vector<std::int64_t>;
using Claims = std::vector<FairShare::Claim>;

constexpr std::int64_t kNone = std::int64_t{1} << 40;  // asks for more than there is

Shares divided(std::int64_t total, const Claims& claims) {
  Shares shares(claims.size(), -1);
  std::vector<std::uint8_t> is_short(claims.size());
  FairShare().divide(total, claims, shares, is_short);
  return shares;
}

// The first six are Volcano's vectors, in thousandths of a GPU: weight w, guarantee g, request r.
// Upper bounds are min(request, real capability), as the caller works them out.

// 30 to divide. q1 w1 g5, q2 w1, q3 w1 c10, all r30; real capabilities 30, 25, 10.
// level 10: clamp(10, 5, 30) + clamp(10, 0, 25) + clamp(10, 0, 10) = 30.
TEST(FairShare, GivesEqualWeightsEqualShares) {
  EXPECT_EQ(divided(30'000, {{1, 5'000, 30'000}, {1, 0, 25'000}, {1, 0, 10'000}}),
            (Shares{10'000, 10'000, 10'000}));
}

// q4 w2 g10 asks for 2 only: its lower bound of 10 is kept. The others share 20: 6.667 each. In
// thousandths 6666 2/3 each; two units are left over and go to the first two.
TEST(FairShare, KeepsAGuaranteeThatIsNotAskedFor) {
  EXPECT_EQ(
      divided(30'000, {{1, 5'000, 20'000}, {1, 0, 15'000}, {1, 0, 10'000}, {2, 10'000, 10'000}}),
      (Shares{6'667, 6'667, 6'666, 10'000}));
}

// q4 asks for 30: level 6, of weight 2 it gets 12.
TEST(FairShare, GivesByWeight) {
  EXPECT_EQ(
      divided(30'000, {{1, 5'000, 20'000}, {1, 0, 15'000}, {1, 0, 10'000}, {2, 10'000, 25'000}}),
      (Shares{6'000, 6'000, 6'000, 12'000}));
}

// q1 asks for 4, q3 is capped at 9: the level rises to 17 for q2 alone.
TEST(FairShare, GivesToOthersWhatOneDoesNotWant) {
  EXPECT_EQ(divided(30'000, {{1, 0, 4'000}, {1, 0, 30'000}, {1, 0, 9'000}}),
            (Shares{4'000, 17'000, 9'000}));
}

// Row 5: q1 w1 g10, q2 w10, q3 w10, all r30. Volcano raises q1 to 10 after dividing, and deserves
// 38.57 of 30. Here the level falls until all add up: q1 is held at 10, the others share 20.
TEST(FairShare, TakesAGuaranteeOutOfTheOthersShares) {
  EXPECT_EQ(divided(30'000, {{1, 10'000, 30'000}, {10, 0, 20'000}, {10, 0, 20'000}}),
            (Shares{10'000, 10'000, 10'000}));
}

// Row 6: q1 w1 g10 without a job, q2 and q3 r30. Volcano lends all of it: 15 each. Here it is kept
// (lower bound 10), unless it is lent (lower bound 0, upper bound 0).
TEST(FairShare, KeepsTheGuaranteeOfAQueueWithoutJobsUnlessItIsLent) {
  EXPECT_EQ(divided(30'000, {{1, 10'000, 10'000}, {1, 0, 20'000}, {1, 0, 20'000}}),
            (Shares{10'000, 10'000, 10'000}));
  EXPECT_EQ(divided(30'000, {{1, 0, 0}, {1, 0, 20'000}, {1, 0, 20'000}}),
            (Shares{0, 15'000, 15'000}));
}

// 10 GPUs by 3: 3 1/3 each; the unit left over goes to the first of those that lost as much.
TEST(FairShare, HandsOutWhatRoundingLeavesOver) {
  EXPECT_EQ(divided(10, {{1, 0, kNone}, {1, 0, kNone}, {1, 0, kNone}}), (Shares{4, 3, 3}));
  // 10 by weights 3, 3, 1: 4 2/7, 4 2/7, 1 3/7: the third lost most.
  EXPECT_EQ(divided(10, {{3, 0, kNone}, {3, 0, kNone}, {1, 0, kNone}}), (Shares{4, 4, 2}));
}

TEST(FairShare, GivesEverybodyWhatTheyWantIfThereIsEnough) {
  EXPECT_EQ(divided(100, {{1, 0, 30}, {5, 10, 20}}), (Shares{30, 20}));
  EXPECT_EQ(divided(50, {{1, 0, 30}, {5, 10, 20}}), (Shares{30, 20}));
}

TEST(FairShare, GivesTheLowerBoundsIfThereIsNoMore) {
  EXPECT_EQ(divided(10, {{1, 7, 30}, {5, 3, 20}, {1, 0, 5}}), (Shares{7, 3, 0}));
  EXPECT_EQ(divided(0, {{1, 0, 30}}), (Shares{0}));
  EXPECT_EQ(divided(0, {}), (Shares{}));
}

TEST(FairShare, BearsTheLargestAmountsAndWeights) {
  const std::int64_t most = std::int64_t{1} << 62;
  EXPECT_EQ(divided(most, {{65'535, 0, most}, {65'535, 0, most}}), (Shares{most / 2, most / 2}));
  EXPECT_EQ(divided(most, {{65'535, 0, most}, {1, most / 2, most}}), (Shares{most / 2, most / 2}));
}

// Laws that hold for all claims, checked against the definition.
TEST(FairShare, KeepsItsLawsForRandomClaims) {
  for (const std::uint64_t seed : support::seeds(10'000)) {
    std::mt19937_64 random(seed);
    const auto below = [&](std::int64_t bound) {
      return static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(bound));
    };
    Claims claims(static_cast<std::size_t>(1 + below(12)));
    const std::int64_t scale = below(2) == 0 ? 20 : std::int64_t{1} << 50;
    std::int64_t least = 0;
    std::int64_t most = 0;
    for (auto& [weight, lower, upper] : claims) {
      weight = 1 + below(below(2) == 0 ? 3 : 65'535);
      lower = below(3) == 0 ? below(scale) : 0;
      upper = lower + (below(4) == 0 ? 0 : below(scale));
      least += lower;
      most += upper;
    }
    const std::int64_t total = least + below(most - least + scale);
    const Shares shares = divided(total, claims);
    ASSERT_EQ(std::accumulate(shares.begin(), shares.end(), std::int64_t{0}), std::min(total, most))
        << "BERTH_SEED=" << seed;
    for (std::size_t i = 0; i < claims.size(); ++i) {
      ASSERT_GE(shares[i], claims[i].lower) << "BERTH_SEED=" << seed;
      ASSERT_LE(shares[i], claims[i].upper) << "BERTH_SEED=" << seed;
      for (std::size_t j = 0; j < claims.size(); ++j) {
        // A claim that could have more has no less for its weight than one that could have less,
        // except for a unit that rounding moved.
        if (shares[i] >= claims[i].upper || shares[j] <= claims[j].lower) continue;
        ASSERT_GE(static_cast<__int128>(shares[i] + 1) * claims[j].weight,
                  static_cast<__int128>(shares[j] - 1) * claims[i].weight)
            << "BERTH_SEED=" << seed << ": " << i << " and " << j;
      }
    }
  }
}

}  // namespace
}  // namespace berth::plugins
