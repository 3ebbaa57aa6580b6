#include <gtest/gtest.h>

#include <random>

#include "reconcile/reconcile_fixture.h"
#include "views/start_table.h"

// Starts that are forecast, in the statuses of groups.
namespace berth::reconcile {
namespace {

using std::chrono::hours;
using std::chrono::minutes;
using std::chrono::seconds;

class StartStatusTest : public ReconcileTest {
 protected:
  void SetUp() override {
    see(make_node("n1", 4));
    see_gang(make_group("g", 3), 3);
  }
  Plan waits() {
    mirror_.settle(now_);
    Plan plan;
    plan.refusals = {refusal_of(mirror_, "g", Reason::gang_incomplete, 2, 3)};
    return plan;
  }
  void forecast(const WrittenStart& start) {
    auto table = std::make_shared<views::StartTable>();
    table->rows.push_back({"ml/g", make_group("g", 3).uid, "default", start, {}});
    side_->reconciler.look_at(side_->announcer.take_starts(table, mirror_.cluster(), now_));
  }
  // Another berthd leads, and sees this group.
  void start_over(const PodGroupObject& group) {
    start();
    side_->observe(group);
    see(group);
  }
  WrittenStart likely(Duration from, Duration to) const { return {{}, now_ + from, now_ + to}; }
};

TEST_F(StartStatusTest, START1TheyAreInTheStatus) {
  session(waits());
  now_ += minutes(2);
  const WrittenStart start{now_ + hours(3), now_ + hours(1), now_ + hours(2)};
  forecast(start);
  const auto written = session_after(seconds(1), waits()).statuses;
  ASSERT_EQ(written.size(), 1u);
  EXPECT_EQ(written[0].waiting.start, start);
}

TEST_F(StartStatusTest, START1TheyAreGoneWithTheWait) {
  session(waits());
  forecast(likely(hours(1), hours(2)));
  session_after(minutes(2), waits());
  for (int i = 0; i < 3; ++i) see(running_on(make_member("g", i), "n1"));
  const auto written = session_after(seconds(1)).statuses;
  ASSERT_EQ(written.size(), 1u);
  EXPECT_EQ(written[0].waiting.start, WrittenStart());
}

// An earlier leader's stay until the first forecast of this one.
TEST_F(StartStatusTest, START1NothingIsTakenAwayBeforeAnythingIsKnown) {
  PodGroupObject group = make_group("g", 3);
  session(waits());
  forecast(likely(hours(1), hours(2)));
  const auto written = session_after(minutes(2), waits()).statuses;
  ASSERT_EQ(written.size(), 1u);
  const WrittenStart start = written[0].waiting.start;
  group.written.waiting = written[0].waiting;
  group.written.reason = written[0].reason;
  group.written.message = written[0].message;
  group.phase = written[0].phase;
  start_over(group);
  const auto again = session_after(minutes(2), waits()).statuses;
  for (const auto& each : again) EXPECT_EQ(each.waiting.start, start);
}

// START-2. An hour of forecasts each ten seconds, whose ends are a little different each time.
TEST_F(StartStatusTest, START2ForecastsThatHardlyMoveAreNotWritten) {
  std::mt19937_64 random(1);
  const TimePoint begin = now_;
  std::size_t statuses = 0;
  for (Duration passed{}; passed < hours(1); passed += seconds(10)) {
    const auto noise = [&] { return seconds(random() % 240); };
    forecast({{}, begin + hours(2) + noise(), begin + hours(5) + noise()});
    statuses += session_after(seconds(10), waits()).statuses.size();
  }
  EXPECT_LE(statuses, 3u);
}

TEST_F(StartStatusTest, START2ForecastsThatMoveMuchAreWrittenOnceAMinute) {
  std::mt19937_64 random(1);
  std::size_t statuses = 0;
  for (Duration passed{}; passed < hours(1); passed += seconds(10)) {
    forecast(likely(seconds(random() % 7200), hours(3) + seconds(random() % 20'000)));
    statuses += session_after(seconds(10), waits()).statuses.size();
  }
  EXPECT_GE(statuses, 30u);
  EXPECT_LE(statuses, 61u);
}

TEST_F(StartStatusTest, START3ABrokenPromiseIsAnEvent) {
  session(waits());
  const JobId id = mirror_.find_group("ml/g");
  side_->announcer.announce_broken_promise(mirror_.cluster().job(id), "was to start by noon", now_);
  const auto events = session_after(seconds(1), waits()).events;
  ASSERT_EQ(events.size(), 1u);
  EXPECT_EQ(events[0].reason, "StartDelayed");
  EXPECT_EQ(events[0].message, "was to start by noon");
  EXPECT_TRUE(events[0].is_warning);
}

}  // namespace
}  // namespace berth::reconcile
