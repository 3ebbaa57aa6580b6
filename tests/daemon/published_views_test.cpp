#include "daemon/published_views.h"

#include <gtest/gtest.h>

#include "daemon/objects.h"
#include "mirror/mirror.h"

namespace berth::daemon {
namespace {

using std::chrono::hours;
using std::chrono::seconds;

class PublishedViewsTest : public testing::Test {
 protected:
  PublishedViewsTest() {
    mirror_.apply(make_node("n1", 4));
    mirror_.apply(make_group("big", 2));
    mirror_.settle(clock_.now());
    Reservation reservation;
    reservation.job = mirror_.find_group("ml/big");
    reservation.nodes = {NodeId(0)};
    plan_.reservations = {reservation};
  }
  bool session(const Plan& plan) {
    mirror_.settle(clock_.now());
    return views_.refresh(plan, mirror_.cluster(), clock_.now());
  }
  std::shared_ptr<const views::ReservationTable> table() const { return reservations_.load(); }
  std::string idle_cpu_seconds() const {
    return views::format_room_time("cpu", table()->held.at("cpu"));
  }

  ManualClock clock_;
  mirror::Mirror mirror_{mirror::Options{}};
  Plan plan_;
  ports::Published<views::QueueTable> queues_{nullptr};
  ports::Published<views::ReservationTable> reservations_{nullptr};
  PublishedViews views_{queues_, reservations_};
};

TEST_F(PublishedViewsTest, BeforeTheFirstSessionThereIsNothingToSee) {
  EXPECT_EQ(table(), nullptr);
}

TEST_F(PublishedViewsTest, ShowWhatTheLastSessionLeftAndWhatItHasCost) {
  session(plan_);
  clock_.advance(seconds(10));
  session(plan_);
  ASSERT_EQ(table()->rows.size(), 1U);
  EXPECT_EQ(table()->rows[0].job, "ml/big");
  EXPECT_EQ(table()->rows[0].nodes, std::vector<std::string>{"n1"});
  EXPECT_EQ(table()->at, clock_.now());
  EXPECT_EQ(idle_cpu_seconds(), "40");
}

TEST_F(PublishedViewsTest, CountsHowTargetsEnd) {
  session(plan_);
  EndedReservation ended;
  ended.job = plan_.reservations[0].job;
  ended.how = EndedReservation::How::given_up;
  Plan after;
  after.ended = {ended};
  session(after);
  session({});
  EXPECT_EQ(table()->ended, (views::EndCounts{0, 1, 0, 0, 0}));
  EXPECT_TRUE(table()->rows.empty());
}

TEST_F(PublishedViewsTest, WhileAnotherLeadsThereIsNothingAndNothingIsCounted) {
  session(plan_);
  clock_.advance(seconds(10));
  views_.stop_leading(clock_.now());
  EXPECT_EQ(table(), nullptr);
  clock_.advance(hours(1));
  session(plan_);
  EXPECT_EQ(idle_cpu_seconds(), "40") << "what was counted before is not forgotten";
}

TEST_F(PublishedViewsTest, QueuesAreTheSameTableUntilSomethingChanges) {
  EXPECT_TRUE(session(plan_));
  const auto first = queues_.load();
  clock_.advance(seconds(59));
  EXPECT_FALSE(session(plan_));
  EXPECT_EQ(queues_.load(), first);
  plan_.queue_reservations.emplace_back().queue = QueueId(0);
  EXPECT_TRUE(session(plan_)) << "a queue asks for nodes";
  clock_.advance(seconds(1));
  plan_.queue_reservations[0].is_met = true;
  EXPECT_TRUE(session(plan_));
  clock_.advance(seconds(1));
  mirror_.apply(make_group("other", 1));
  EXPECT_TRUE(session(plan_));
  const auto second = queues_.load();
  EXPECT_NE(second, first);
  EXPECT_TRUE(second->rows[0].reservation->is_met);
  mirror_.apply(make_group("another", 1));
  EXPECT_FALSE(session(plan_)) << "it was made less than a second ago";
  clock_.advance(seconds(1));
  EXPECT_TRUE(session(plan_));
}

TEST_F(PublishedViewsTest, QueuesHaveWhatTheyHaveUsedUpToAMinuteAgo) {
  mirror_.mutable_usage().raise("default", "", 1000, clock_.now(), clock_.now());
  EXPECT_TRUE(session(plan_));
  EXPECT_EQ(queues_.load()->rows[0].used, 1000);
  mirror_.mutable_usage().raise("default", "", 2000, clock_.now(), clock_.now());
  EXPECT_FALSE(session(plan_));
  clock_.advance(seconds(60));
  EXPECT_TRUE(session(plan_));
  EXPECT_EQ(queues_.load()->rows[0].used, 2000);
}

}  // namespace
}  // namespace berth::daemon
