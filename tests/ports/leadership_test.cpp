#include "ports/leadership.h"

#include <gtest/gtest.h>

#include <thread>

#include "berth/base/boot_clock.h"
#include "support/jumping_clock.h"

namespace berth::ports {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

class LeadershipTest : public ::testing::Test {
 protected:
  TimePoint in(Duration time) const { return clock_.now() + time; }

  support::JumpingClock clock_;
  Leadership leadership_{clock_};
};

TEST_F(LeadershipTest, LEASE1NoTermHoldsBeforeTheFirst) {
  EXPECT_EQ(leadership_.epoch(), 0U);
  EXPECT_FALSE(leadership_.holds(0)) << "a write without an epoch has no term";
  EXPECT_FALSE(leadership_.extend(in(seconds(1))));
  EXPECT_EQ(leadership_.epoch(), 0U);
}

TEST_F(LeadershipTest, LEASE1ATermEndsByTheClockAlone) {
  leadership_.begin(3, in(seconds(6)));
  const Term term(&leadership_, 3);
  clock_.advance(seconds(6) - milliseconds(1));
  EXPECT_TRUE(leadership_.holds(3));
  EXPECT_TRUE(term.holds());
  clock_.advance(milliseconds(1));
  EXPECT_FALSE(leadership_.holds(3));
  EXPECT_FALSE(term.holds());
  EXPECT_EQ(leadership_.epoch(), 0U);
}

TEST_F(LeadershipTest, LEASE1ATermThatIsExtendedInTimeGoesOn) {
  leadership_.begin(3, in(seconds(6)));
  clock_.advance(seconds(5));
  EXPECT_TRUE(leadership_.extend(in(seconds(6))));
  clock_.advance(seconds(5));
  EXPECT_TRUE(leadership_.holds(3));
}

TEST_F(LeadershipTest, LEASE1ATermThatIsOverNeverHoldsAgain) {
  leadership_.begin(3, in(seconds(6)));
  clock_.advance(seconds(7));
  EXPECT_FALSE(leadership_.extend(in(seconds(6))));
  EXPECT_FALSE(leadership_.holds(3));
  leadership_.begin(4, in(seconds(6)));
  EXPECT_FALSE(leadership_.holds(3));
  EXPECT_TRUE(leadership_.holds(4));
  leadership_.end();
  EXPECT_FALSE(leadership_.holds(4));
}

TEST_F(LeadershipTest, ATermForEverHoldsUntilItIsEnded) {
  leadership_.begin(1, Leadership::kForever);
  clock_.advance(std::chrono::hours(1'000'000));
  EXPECT_TRUE(leadership_.holds(1));
  leadership_.end();
  EXPECT_FALSE(leadership_.holds(1));
}

TEST(Term, OfNoLeaderHolds) {
  EXPECT_TRUE(Term().holds());
  EXPECT_TRUE(Term(nullptr, 7).holds());
}

// The clock stands, so an epoch holds only while it is the present one.
TEST_F(LeadershipTest, AnEpochIsNeverTakenForAnother) {
  constexpr std::uint64_t kTerms = 20'000;
  std::atomic<std::uint64_t> done = 0;  // the last epoch that has been ended
  std::atomic<bool> is_wrong = false;
  std::thread reader([&] {
    for (std::uint64_t ended = 0; ended < kTerms;) {
      ended = done;
      if (ended != 0 && leadership_.holds(ended)) is_wrong = true;
    }
  });
  for (std::uint64_t epoch = 1; epoch <= kTerms; ++epoch) {
    leadership_.begin(epoch, in(seconds(1)));
    leadership_.end();
    done = epoch;
  }
  reader.join();
  EXPECT_FALSE(is_wrong);
}

TEST(BootClock, GoesForward) {
  const BootClock clock;
  const TimePoint before = clock.now();
  EXPECT_GE(before, TimePoint());
  EXPECT_LE(before, clock.now());
}

}  // namespace
}  // namespace berth::ports
