#include "berth/model/attempt.h"

#include <gtest/gtest.h>

#include <set>
#include <string>

namespace berth {
namespace {

TEST(Attempt, HINT5PlacesDifferByShapeNodeAndNumber) {
  std::set<std::uint64_t> sums;
  for (const std::size_t shape : {0U, 1U, 2U}) {
    for (int node = 0; node < 50; ++node) {
      const std::uint64_t place = place_of(shape, "node-" + std::to_string(node));
      sums.insert(place);
      sums.insert(2 * place);
      sums.insert(place + place_of(0, "node-x"));
    }
  }
  EXPECT_EQ(sums.size(), 3U * 50U * 3U);
}

}  // namespace
}  // namespace berth
