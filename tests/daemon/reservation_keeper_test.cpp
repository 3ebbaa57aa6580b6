#include "daemon/reservation_keeper.h"

#include <gtest/gtest.h>

#include "daemon/objects.h"
#include "mirror/mirror.h"

namespace berth::daemon {
namespace {

using std::chrono::hours;
using std::chrono::seconds;

class ReservationKeeperTest : public testing::Test {
 protected:
  ReservationKeeperTest() {
    mirror_.apply(make_node("n1", 4));
    mirror_.apply(make_group("big", 2));
    mirror_.settle(clock_.now());
    Reservation reservation;
    reservation.job = mirror_.find_group("ml/big");
    reservation.nodes = {NodeId(0)};
    plan_.reservations = {reservation};
  }
  void session(const Plan& plan) { keeper_.note(plan, mirror_.cluster(), clock_.now()); }
  std::string idle_cpu_seconds() const {
    return views::format_room_time("cpu", keeper_.table()->held.at("cpu"));
  }

  ManualClock clock_;
  mirror::Mirror mirror_{mirror::Options{}};
  Plan plan_;
  ReservationKeeper keeper_;
};

TEST_F(ReservationKeeperTest, BeforeTheFirstSessionThereIsNothingToSee) {
  EXPECT_EQ(keeper_.table(), nullptr);
}

TEST_F(ReservationKeeperTest, TellsWhatTheLastSessionLeftAndWhatItHasCost) {
  session(plan_);
  clock_.advance(seconds(10));
  session(plan_);
  ASSERT_EQ(keeper_.table()->rows.size(), 1U);
  EXPECT_EQ(keeper_.table()->rows[0].job, "ml/big");
  EXPECT_EQ(keeper_.table()->rows[0].nodes, std::vector<std::string>{"n1"});
  EXPECT_EQ(keeper_.table()->at, clock_.now());
  EXPECT_EQ(idle_cpu_seconds(), "40");
}

TEST_F(ReservationKeeperTest, CountsHowTargetsEnd) {
  session(plan_);
  EndedReservation ended;
  ended.job = plan_.reservations[0].job;
  ended.how = EndedReservation::How::given_up;
  Plan after;
  after.ended = {ended};
  session(after);
  session({});
  EXPECT_EQ(keeper_.table()->ended, (views::EndCounts{0, 1, 0, 0, 0}));
  EXPECT_TRUE(keeper_.table()->rows.empty());
}

TEST_F(ReservationKeeperTest, WhileAnotherLeadsItTellsAndCountsNothing) {
  session(plan_);
  clock_.advance(seconds(10));
  keeper_.stop_leading(clock_.now());
  EXPECT_EQ(keeper_.table(), nullptr);
  clock_.advance(hours(1));
  session(plan_);
  EXPECT_EQ(idle_cpu_seconds(), "40") << "what was counted before is not forgotten";
}

}  // namespace
}  // namespace berth::daemon
