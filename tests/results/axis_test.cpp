#include "results/axis.h"

#include <gtest/gtest.h>

namespace berth::results {
namespace {

std::string labels_of(const Axis& axis) {
  std::string labels;
  for (const Tick& tick : axis.ticks) labels += (labels.empty() ? "" : " ") + tick.label;
  return labels;
}

TEST(Axis, StepsAreRound) {
  EXPECT_EQ(labels_of(linear_axis(428, "")), "0 100 200 300 400 500");
  EXPECT_EQ(labels_of(linear_axis(0, "")), "0 0.2");
  EXPECT_EQ(labels_of(linear_axis(7, "")), "0 2 4 6 8");
  EXPECT_EQ(labels_of(percent_axis("")), "0 % 25 % 50 % 75 % 100 %");
}

TEST(Axis, DurationsHaveStepsOfTheClock) {
  EXPECT_EQ(labels_of(duration_axis(80'000, "")), "0 6h 12h 18h 1d");
  EXPECT_EQ(labels_of(duration_axis(100, "")), "0 30 s 1m 1m30s 2m");
  EXPECT_EQ(labels_of(duration_axis(0, "")), "0 0.2 s 0.4 s 0.6 s 0.8 s 1 s");
  EXPECT_EQ(labels_of(duration_axis(13 * 86'400, "")), "0 3d 6d 9d 12d 15d");
  const Axis part = time_axis(1'000, 1'100, "");
  EXPECT_EQ(labels_of(part), "0 30 s 1m 1m30s");
  EXPECT_EQ(part.to, 1'100);
}

TEST(Axis, PowersOfTenAreEquallyFar) {
  const Axis axis = logarithmic_axis(700, "");
  EXPECT_EQ(labels_of(axis), "1 10 100 1,000");
  EXPECT_DOUBLE_EQ(axis.part(10), 1.0 / 3);
  EXPECT_DOUBLE_EQ(axis.part(0), 0);
  EXPECT_DOUBLE_EQ(axis.part(1e9), 1);
  EXPECT_EQ(labels_of(logarithmic_axis(1, "")), "1 2 5 10");
}

}  // namespace
}  // namespace berth::results
