#include "berth/base/forward_clock.h"

#include <gtest/gtest.h>

namespace berth {
namespace {

using std::chrono::hours;
using std::chrono::seconds;

class ForwardClockTest : public testing::Test {
 protected:
  void pass(Duration time, Duration step = Duration(0)) {
    steady_.advance(time);
    wall_.advance(time + step);
  }

  ManualClock wall_{TimePoint{hours(10)}};
  ManualClock steady_{TimePoint{seconds(7)}};
  ForwardClock clock_{wall_, steady_};
};

TEST_F(ForwardClockTest, returns_the_time_of_the_wall) {
  EXPECT_EQ(clock_.now(), wall_.now());
  pass(seconds(3));
  EXPECT_EQ(clock_.now(), TimePoint{hours(10) + seconds(3)});
}

TEST_F(ForwardClockTest, follows_a_step_ahead) {
  pass(seconds(1), hours(2));
  EXPECT_EQ(clock_.now(), TimePoint{hours(12) + seconds(1)});
}

TEST_F(ForwardClockTest, goes_on_at_its_pace_after_a_step_back) {
  pass(seconds(1), -hours(1));
  EXPECT_EQ(clock_.now(), TimePoint{hours(10) + seconds(1)});
  pass(seconds(5));
  EXPECT_EQ(clock_.now(), TimePoint{hours(10) + seconds(6)});
}

TEST_F(ForwardClockTest, follows_the_wall_again_once_that_is_ahead) {
  pass(seconds(1), -hours(1));
  pass(seconds(1), hours(1) + seconds(30));
  EXPECT_EQ(clock_.now(), wall_.now());
}

}  // namespace
}  // namespace berth
