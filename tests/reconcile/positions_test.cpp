#include <gtest/gtest.h>

#include <algorithm>

#include "reconcile/job_order.h"
#include "reconcile/reconcile_fixture.h"

namespace berth::reconcile {
namespace {

using std::chrono::milliseconds;
using std::chrono::minutes;
using std::chrono::seconds;

std::string named(int number) { return "g" + std::to_string(number); }

TEST(PositionText, CountsInEnglish) {
  const auto text = [](std::int32_t place) {
    return position_text("q", {place, 200, place - 1, 0, {}});
  };
  EXPECT_EQ(text(1), "1st of 200 in queue q");
  EXPECT_EQ(text(2), "2nd of 200 in queue q");
  EXPECT_EQ(text(3), "3rd of 200 in queue q");
  EXPECT_EQ(text(4), "4th of 200 in queue q");
  EXPECT_EQ(text(11), "11th of 200 in queue q");
  EXPECT_EQ(text(112), "112th of 200 in queue q");
  EXPECT_EQ(text(113), "113th of 200 in queue q");
  EXPECT_EQ(text(121), "121st of 200 in queue q");
  EXPECT_EQ(position_text("q", {}), "");
}

TEST(PositionText, NamesJobsOfTheNamespaceAlone) {
  EXPECT_EQ(
      position_text("research", {4, 12, 30, 2, {"a", "b"}}),
      "4th of 12 in queue research, with 30 jobs ahead in all queues; 2 of those ahead are in "
      "this namespace: a, b");
  EXPECT_EQ(position_text("q", {2, 2, 1, 1, {"a"}}),
            "2nd of 2 in queue q; 1 of those ahead is in this namespace: a");
  EXPECT_EQ(position_text("q", {1, 1, 1, 0, {}}),
            "1st of 1 in queue q, with 1 job ahead in all queues");
  EXPECT_EQ(position_text("q", {9, 9, 8, 3, {"a", "b"}}),
            "9th of 9 in queue q; 3 of those ahead are in this namespace: a, b and 1 more");
}

// Gangs that wait, in the order of their numbers.
class PositionsTest : public ReconcileTest {
 protected:
  void SetUp() override { see(make_node("n1", 4)); }

  void see_gangs(int count) {
    for (int i = 0; i < count; ++i) {
      see_gang(make_group(named(i), 2), 2);
      waiting_.push_back(i);
    }
    mirror_.settle(now_);
  }
  // A session that refuses all of them.
  Plan all_wait(std::int64_t have = 1) {
    mirror_.settle(now_);
    Plan plan;
    plan.order.emplace();
    for (const int number : waiting_) {
      plan.refusals.push_back(refusal_of(mirror_, named(number), Reason::gang_incomplete, have, 2));
      plan.order->push_back(plan.refusals.back().job);
    }
    return plan;
  }
  void first_starts() {
    for (int i = 0; i < 2; ++i) see(running_on(make_member(named(waiting_.front()), i), "n1"));
    waiting_.erase(waiting_.begin());
  }
  // The watch shows all that was written.
  void show(const RecordingWriter::Written& written) {
    for (const auto& status : written.statuses) {
      PodGroupObject group = make_group(status.object.name, 2);
      group.phase = status.phase;
      group.written.is_scheduled = status.is_scheduled;
      group.written.scheduled_since = status.scheduled_since;
      group.written.waits_since = status.waits_since;
      group.written.running = status.running;
      group.written.reason = status.reason;
      group.written.message = status.message;
      group.written.waiting = status.waiting;
      see(group);
    }
  }

  std::vector<int> waiting_;
};

TEST_F(PositionsTest, STATUS5TheFirstStatusHasThePosition) {
  PodGroupObject foreign = make_group("theirs", 2);
  foreign.name_space = "other";
  foreign.queue = "default";
  see(foreign);
  see_gangs(3);
  Plan plan = all_wait();
  plan.order->insert(plan.order->begin(), mirror_.find_group("other/theirs"));
  const auto written = session(plan);
  ASSERT_EQ(written.statuses.size(), 3U);
  const auto last = std::find_if(written.statuses.begin(), written.statuses.end(),
                                 [](const auto& each) { return each.object.name == "g2"; });
  ASSERT_NE(last, written.statuses.end());
  EXPECT_EQ(last->waiting.reason, "gang_incomplete");
  EXPECT_EQ(last->waiting.queue, "default");
  EXPECT_EQ(last->waiting.position, (WaitingPosition{4, 4, 3, 2, {"g0", "g1"}}));
  EXPECT_EQ(last->waiting.position_text,
            "4th of 4 in queue default; 2 of those ahead are in this namespace: g0, g1");
  EXPECT_EQ(last->message, sentence(Reason::gang_incomplete, 1, 2, ""));
}

TEST_F(PositionsTest, STATUS5AtMostTenJobsAreNamed) {
  see_gangs(13);
  session(all_wait());
  const WaitingPosition position =
      side_->announcer.waiting().of(mirror_.find_group("ml/g12")).position;
  EXPECT_EQ(position.ahead_in_namespace, 12);
  ASSERT_EQ(position.names.size(), 10U);
  EXPECT_EQ(position.names.front(), "g0");
  EXPECT_EQ(position.names.back(), "g9");
}

TEST_F(PositionsTest, STATUS5AJobThatStartsHasNoneAnyMore) {
  see_gangs(2);
  session(all_wait());
  first_starts();
  const auto written = session_after(seconds(1), all_wait());
  ASSERT_EQ(written.statuses.size(), 1U) << "the position of the other is not urgent";
  EXPECT_EQ(written.statuses[0].object.name, "g0");
  EXPECT_EQ(written.statuses[0].waiting, WrittenWaiting());
}

TEST_F(PositionsTest, STATUS6APositionAloneIsWrittenAMinuteAfterTheLastWrite) {
  see_gangs(2);
  session(all_wait());
  first_starts();
  session_after(seconds(1), all_wait());
  EXPECT_TRUE(session_after(seconds(58), all_wait()).statuses.empty());
  const auto written = session_after(seconds(1), all_wait());
  ASSERT_EQ(written.statuses.size(), 1U);
  EXPECT_EQ(written.statuses[0].waiting.position.in_queue, 1);
  EXPECT_TRUE(session_after(minutes(5), all_wait()).statuses.empty());
}

TEST_F(PositionsTest, STATUS6AnUrgentStatusHasThePositionOfNow) {
  see_gangs(2);
  session(all_wait());
  first_starts();
  Plan plan = all_wait();
  plan.refusals[0] = refusal_of(mirror_, "g1", Reason::too_few_tasks, 1, 2);
  now_ += seconds(10);  // no longer young
  const auto written = session(plan);
  const auto other = std::find_if(written.statuses.begin(), written.statuses.end(),
                                  [](const auto& each) { return each.object.name == "g1"; });
  ASSERT_NE(other, written.statuses.end());
  EXPECT_EQ(other->reason, "NotEnoughTasks");
  EXPECT_EQ(other->waiting.position.in_queue, 1);
}

TEST_F(PositionsTest, STATUS6AllGroupsShareFiveWritesASecond) {
  see_gangs(100);
  EXPECT_EQ(session(all_wait()).statuses.size(), 100U) << "their first status, at once";
  first_starts();
  session_after(seconds(1), all_wait());
  std::size_t total = 0;
  for (int pass = 0; pass < 300; ++pass) {  // ten a second
    const auto written = session_after(milliseconds(100), all_wait());
    total += written.statuses.size();
  }
  EXPECT_EQ(total, 0U) << "their minute is not over";
  now_ += seconds(30);
  for (int pass = 0; pass < 100; ++pass) {
    total += session_after(milliseconds(100), all_wait()).statuses.size();
  }
  EXPECT_EQ(total, 50U);
  for (int pass = 0; pass < 110; ++pass) {
    total += session_after(milliseconds(100), all_wait()).statuses.size();
  }
  EXPECT_EQ(total, 99U) << "each of them once";
}

TEST_F(PositionsTest, STATUS6AfterARestartNothingThatStandsThereIsWritten) {
  see_gangs(20);
  const auto written = session(all_wait());
  ASSERT_EQ(written.statuses.size(), 20U);
  start();
  show(written);
  EXPECT_TRUE(session_after(seconds(5), all_wait()).statuses.empty());
  EXPECT_TRUE(session_after(minutes(2), all_wait()).statuses.empty());
}

TEST_F(PositionsTest, STATUS6AfterARestartAPositionInTheConditionAloneIsBelieved) {
  see_gangs(3);
  auto written = session(all_wait());
  start();
  for (auto& status : written.statuses) {  // as src/kube reads them where Volcano's definition is
    const std::string position = status.waiting.position_text;
    status.waiting = {};
    status.waiting.position_text = position;
  }
  show(written);
  EXPECT_TRUE(session_after(seconds(5), all_wait()).statuses.empty());
  first_starts();
  session_after(seconds(5), all_wait());
  EXPECT_EQ(session_after(minutes(1), all_wait()).statuses.size(), 2U);
}

TEST_F(PositionsTest, STATUS6AFailedWriteOfAPositionIsSentAgain) {
  see_gangs(2);
  session(all_wait());
  first_starts();
  session_after(seconds(1), all_wait());
  writer_.outcome = {ports::WriteOutcome::Result::failed, "503"};
  EXPECT_EQ(session_after(minutes(1), all_wait()).statuses.size(), 1U);
  writer_.outcome = {};
  EXPECT_EQ(session_after(seconds(1), all_wait()).statuses.size(), 1U);
  EXPECT_TRUE(session_after(minutes(5), all_wait()).statuses.empty());
}

// One of 1,000 jobs starts each second, so every second all positions change.
TEST_F(PositionsTest, STATUS6AThousandJobsThatWaitCostSixWritesASecond) {
  see_gangs(1000);
  EXPECT_EQ(session(all_wait()).statuses.size(), 1000U);
  std::size_t starts = 0;
  std::size_t positions = 0;
  std::size_t events = 0;
  std::map<std::string, TimePoint> written_at;
  for (int second = 0; second < 300; ++second) {
    now_ += seconds(1);
    first_starts();
    const auto written = session(all_wait());
    for (const auto& status : written.statuses) {
      if (status.reason.empty()) {
        ++starts;
        continue;
      }
      ++positions;
      const auto [entry, is_first] = written_at.try_emplace(status.object.name, now_);
      EXPECT_TRUE(is_first || now_ - entry->second >= minutes(1)) << status.object.name;
      entry->second = now_;
    }
    for (const auto& event : written.events) {
      events += event.object.kind == ports::ObjectKind::pod ? 1 : 0;
    }
  }
  EXPECT_EQ(starts, 300U);
  EXPECT_EQ(positions, 5U * 241) << "five a second, once the first minute is over";
  EXPECT_LE(events, 10U * 300 + 1) << "ten a second";
}

TEST_F(PositionsTest, STATUS6NumbersInTheMessagesShareTheseWrites) {
  see_gangs(200);
  session(all_wait());
  std::size_t total = 0;
  for (int second = 1; second <= 100; ++second) {
    total += session_after(seconds(1), all_wait(1 + second)).statuses.size();
  }
  EXPECT_EQ(total, 5U * 91) << "from the tenth second on";
}

TEST_F(PositionsTest, TheOrderIsWantedOnceASecondAndForEachNewReason) {
  see_gangs(2);
  const auto wants = [&](const Plan& plan) {
    return side_->announcer.order_wish(mirror_.cluster(), now_)(plan);
  };
  Plan plan = all_wait();
  EXPECT_TRUE(wants(plan));
  session(plan);
  EXPECT_FALSE(wants(plan));
  EXPECT_FALSE(wants(Plan()));
  plan.refusals[0].reason = Reason::none;
  EXPECT_FALSE(wants(plan)) << "a refusal that was withdrawn";
  plan.refusals[0].reason = Reason::too_few_tasks;
  EXPECT_TRUE(wants(plan)) << "its status is written at once";
  see_gang(make_group("new", 2), 2);
  mirror_.settle(now_);
  plan = all_wait();
  plan.refusals.push_back(refusal_of(mirror_, "new", Reason::gang_incomplete, 1, 2));
  EXPECT_TRUE(wants(plan));
  now_ += seconds(1);
  EXPECT_TRUE(wants(all_wait()));
}

TEST_F(PositionsTest, WithoutANewOrderTheLastOneStands) {
  see_gangs(2);
  session(all_wait());
  Plan plan = all_wait();
  plan.order.reset();
  session_after(milliseconds(10), plan);
  EXPECT_EQ(side_->announcer.waiting().of(mirror_.find_group("ml/g1")).position.in_queue, 2);
}

}  // namespace
}  // namespace berth::reconcile
