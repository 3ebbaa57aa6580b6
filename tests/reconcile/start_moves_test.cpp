#include "reconcile/start_moves.h"

#include <gtest/gtest.h>

namespace berth::reconcile {
namespace {

using std::chrono::hours;
using std::chrono::minutes;
using std::chrono::seconds;

constexpr TimePoint kThisMoment{hours(24 * 365)};

WrittenStart likely(Duration from, Duration to) {
  return {{}, kThisMoment + from, kThisMoment + to};
}
WrittenStart promised(Duration by) { return {kThisMoment + by, {}, {}}; }

TEST(StartMoves, AreMoreThanATenthAndAMinute) {  // START-2
  EXPECT_FALSE(is_moved(promised(hours(1) + minutes(7)), promised(hours(1)), kThisMoment));
  EXPECT_TRUE(is_moved(promised(hours(1) + minutes(8)), promised(hours(1)), kThisMoment));
  EXPECT_TRUE(is_moved(promised(minutes(52)), promised(hours(1)), kThisMoment));
  EXPECT_FALSE(is_moved(promised(seconds(90)), promised(seconds(40)), kThisMoment));
}

TEST(StartMoves, CountAppearanceAndAbsence) {
  EXPECT_FALSE(is_moved({}, {}, kThisMoment));
  EXPECT_TRUE(is_moved(promised(hours(1)), {}, kThisMoment));
  EXPECT_TRUE(is_moved({}, promised(hours(1)), kThisMoment));
  EXPECT_TRUE(is_moved(likely(hours(1), hours(2)), {}, kThisMoment));
}

TEST(StartMoves, LookAtBothEnds) {
  const WrittenStart before = likely(hours(1), hours(4));
  EXPECT_FALSE(is_moved(likely(hours(1), hours(4)), before, kThisMoment));
  EXPECT_TRUE(is_moved(likely(hours(2), hours(4)), before, kThisMoment));
  EXPECT_TRUE(is_moved(likely(hours(1), hours(5)), before, kThisMoment));
}

// A job that may start at any time now is planned anew each time, from that time on.
TEST(StartMoves, AreNoneWhereTimeAloneHasPassed) {
  const WrittenStart before = likely(-hours(1), hours(4));
  EXPECT_FALSE(is_moved(likely(Duration(), hours(4)), before, kThisMoment));
  EXPECT_TRUE(is_moved(likely(minutes(2), hours(4)), before, kThisMoment));
}

}  // namespace
}  // namespace berth::reconcile
