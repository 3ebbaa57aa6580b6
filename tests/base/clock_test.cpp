#include "berth/base/clock.h"

#include <gtest/gtest.h>

#include "berth/base/check.h"
#include "berth/base/result.h"

namespace berth {
namespace {

TEST(ManualClock, moves_only_when_set) {
  ManualClock clock(TimePoint{Duration{5}});
  EXPECT_EQ(clock.now().time_since_epoch().count(), 5);
  clock.advance(Duration{2});
  EXPECT_EQ(clock.now().time_since_epoch().count(), 7);
}

TEST(SystemClock, returns_the_time_of_the_system) {
  const auto before = std::chrono::system_clock::now();
  const TimePoint now = SystemClock().now();
  EXPECT_GE(now, before);
  EXPECT_LE(now, std::chrono::system_clock::now());
}

TEST(Check, aborts_with_the_broken_condition) {
  EXPECT_DEATH(BERTH_CHECK(1 + 1 == 3), "broken invariant `1 \\+ 1 == 3`");
}

TEST(Check, reading_the_value_of_an_error_aborts) {
  const Result<int> wrong(Error{"no such thing", "here"});
  EXPECT_DEATH(static_cast<void>(*wrong), "broken invariant");
  EXPECT_EQ(wrong.error().to_string(), "here: no such thing");
}

}  // namespace
}  // namespace berth
