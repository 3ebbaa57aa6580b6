#include "results/number_text.h"

#include <gtest/gtest.h>

#include <limits>

namespace berth::results {
namespace {

TEST(NumberText, DurationsHaveTwoUnitsAtMost) {
  EXPECT_EQ(duration_text(0), "0 s");
  EXPECT_EQ(duration_text(0.25), "0.25 s");
  EXPECT_EQ(duration_text(0.996), "1 s");
  EXPECT_EQ(duration_text(4.2), "4.2 s");
  EXPECT_EQ(duration_text(9.97), "10 s");
  EXPECT_EQ(duration_text(59.4), "59 s");
  EXPECT_EQ(duration_text(59.7), "1m");
  EXPECT_EQ(duration_text(750), "12m30s");
  EXPECT_EQ(duration_text(3599.6), "1h");
  EXPECT_EQ(duration_text(4980), "1h23m");
  EXPECT_EQ(duration_text(86'399), "1d");
  EXPECT_EQ(duration_text(187'000), "2d4h");
  EXPECT_EQ(duration_text(-90), "-1m30s");
}

TEST(NumberText, NumbersHaveThreeDigits) {
  EXPECT_EQ(number_text(0), "0");
  EXPECT_EQ(number_text(0.066), "0.07");
  EXPECT_EQ(number_text(9.999), "10");
  EXPECT_EQ(number_text(4.2), "4.2");
  EXPECT_EQ(number_text(83.14), "83.1");
  EXPECT_EQ(number_text(12'345.4), "12,345");
  EXPECT_EQ(count_text(1'234'567), "1,234,567");
  EXPECT_EQ(count_text(-1'234), "-1,234");
  EXPECT_EQ(count_text(999), "999");
  EXPECT_EQ(percent_text(0.8312), "83.1 %");
  EXPECT_EQ(percent_text(1), "100.0 %");
}

TEST(NumberText, NotFiniteIsZero) {
  EXPECT_EQ(duration_text(std::numeric_limits<double>::quiet_NaN()), "0 s");
  EXPECT_EQ(number_text(std::numeric_limits<double>::infinity()), "0");
  EXPECT_EQ(percent_text(-std::numeric_limits<double>::infinity()), "0.0 %");
}

}  // namespace
}  // namespace berth::results
