#include "berth/model/spread_domains.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <vector>

namespace berth {
namespace {

TEST(SpreadDomains, SPREAD5_have_0_as_lowest_count_without_domains) {
  SpreadDomains domains;
  EXPECT_EQ(domains.size(), 0U);
  EXPECT_EQ(domains.lowest_that_stay(), 0);
  EXPECT_EQ(domains.lowest_that_stay_or_come(), 0);
}

TEST(SpreadDomains, count_each_domain_once) {
  SpreadDomains domains;
  domains.add(DomainId(4));
  domains.add(DomainId(1));
  domains.add(DomainId(4));
  EXPECT_EQ(domains.size(), 2U);
  domains.move({0, 0}, {2, 2});
  EXPECT_EQ(domains.lowest_that_stay(), 0);
  domains.move({0, 0}, {1, 3});
  EXPECT_EQ(domains.lowest_that_stay(), 1);
  EXPECT_EQ(domains.lowest_that_stay_or_come(), 2);
  domains.clear();
  EXPECT_EQ(domains.size(), 0U);
  EXPECT_EQ(domains.lowest_that_stay(), 0);
}

TEST(CountsOfDomains, know_the_lowest_beside_one_domain) {
  CountsOfDomains counts;
  EXPECT_EQ(counts.lowest_beside(0), std::nullopt);
  counts.add(2);
  EXPECT_EQ(counts.lowest_beside(2), std::nullopt);
  counts.add(5);
  EXPECT_EQ(counts.lowest_beside(2), 5);
  EXPECT_EQ(counts.lowest_beside(5), 2);
  counts.add(2);
  EXPECT_EQ(counts.lowest_beside(2), 2);
}

// Law: the lowest count is that of all counts, after any steps and after all are undone.
TEST(SpreadDomains, know_the_lowest_count_after_each_step) {
  for (std::uint32_t seed = 1; seed <= 20; ++seed) {
    std::mt19937 random(seed);
    const std::size_t count = 1 + random() % 6;
    SpreadDomains domains;
    for (std::size_t d = 0; d < count; ++d) domains.add(DomainId(d));
    std::vector<SpreadDomains::Pods> pods(count);
    std::vector<std::pair<std::size_t, SpreadDomains::Pods>> before;
    const auto check = [&] {
      const auto stay = std::min_element(
          pods.begin(), pods.end(), [](auto& left, auto& right) { return left.stay < right.stay; });
      const auto come = std::min_element(pods.begin(), pods.end(), [](auto& left, auto& right) {
        return left.stay_or_come < right.stay_or_come;
      });
      ASSERT_EQ(domains.lowest_that_stay(), stay->stay) << "seed " << seed;
      ASSERT_EQ(domains.lowest_that_stay_or_come(), come->stay_or_come) << "seed " << seed;
    };
    for (int step = 0; step < 200; ++step) {
      const std::size_t d = random() % count;
      SpreadDomains::Pods to{static_cast<std::int32_t>(random() % 4), 0};
      to.stay_or_come = to.stay + static_cast<std::int32_t>(random() % 3);
      before.emplace_back(d, pods[d]);
      domains.move(pods[d], to);
      pods[d] = to;
      check();
    }
    for (; !before.empty(); before.pop_back()) {
      const auto& [d, old] = before.back();
      domains.move(pods[d], old);
      pods[d] = old;
      check();
    }
  }
}

}  // namespace
}  // namespace berth
