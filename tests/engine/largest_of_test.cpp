#include "berth/engine/largest_of.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "support/seeds.h"
#include "support/world.h"

namespace berth::engine {
namespace {

std::vector<std::uint32_t> by_looking(const std::vector<std::int64_t>& amounts, std::uint32_t begin,
                                      std::uint32_t end, std::uint32_t skip, std::size_t most) {
  std::vector<std::uint32_t> found;
  for (std::uint32_t i = begin; i < end; ++i) {
    if (i != skip && amounts[i] > 0) found.push_back(i);
  }
  std::stable_sort(found.begin(), found.end(), [&](std::uint32_t left, std::uint32_t right) {
    return amounts[left] > amounts[right];
  });
  found.resize(std::min(found.size(), most));
  return found;
}

TEST(LargestOfTest, FindsWhatLookingAtAllFinds) {
  for (const std::uint64_t seed : support::seeds(500)) {
    support::Random random(seed);
    std::vector<std::int64_t> amounts(1 + support::below(random, 40));
    const auto amount = [&] { return static_cast<std::int64_t>(support::below(random, 5)); };
    const auto at = [&](std::size_t most) {
      return static_cast<std::uint32_t>(support::below(random, most));
    };
    std::generate(amounts.begin(), amounts.end(), amount);
    LargestOf largest;
    EXPECT_FALSE(largest.is_made());
    largest.make(amounts);
    for (int step = 0; step < 60; ++step) {
      for (std::uint32_t changes = at(4); changes > 0; --changes) {
        const std::uint32_t changed = at(amounts.size());
        largest.set(changed, amounts[changed] = amount());
      }
      const std::uint32_t end = at(amounts.size() + 1);
      const std::uint32_t begin = at(end + std::size_t{1});
      const std::uint32_t skip = at(amounts.size());
      const std::size_t most = 1 + at(3);
      ASSERT_EQ(largest.within(begin, end, skip, most), by_looking(amounts, begin, end, skip, most))
          << "BERTH_SEED=" << seed;
    }
  }
}

}  // namespace
}  // namespace berth::engine
