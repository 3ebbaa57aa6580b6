#include "reconcile/reconciler.h"

#include <gtest/gtest.h>

#include "reconcile/reconcile_fixture.h"

namespace berth::reconcile {
namespace {

using WriteResult = ports::WriteOutcome::Result;
using std::chrono::minutes;
using std::chrono::seconds;

// A group whose status differs from what the API says.
class ReconcilerTest : public ReconcileTest {
 protected:
  void SetUp() override {
    see(make_node("n1", 4));
    see_gang(make_group("g", 3), 3);
  }
  Plan waits(std::int64_t have) {
    mirror_.settle(now_);
    Plan plan;
    plan.refusals = {refusal_of(mirror_, "g", Reason::gang_incomplete, have, 3)};
    return plan;
  }
  void run_all() {
    for (int i = 0; i < 3; ++i) see(running_on(make_member("g", i), "n1"));
  }
};

TEST_F(ReconcilerTest, WRITE1WhileAWriteIsUnderWayTheNextIsTheLatest) {
  writer_.keeps_answers_back = true;
  EXPECT_EQ(session(waits(2)).statuses.size(), 1u);
  see(running_on(make_member("g", 0), "n1"));
  EXPECT_TRUE(session(waits(1)).statuses.empty()) << "one at a time";
  run_all();
  EXPECT_TRUE(session().statuses.empty());
  writer_.answer();
  const auto next = session().statuses;
  ASSERT_EQ(next.size(), 1u);
  EXPECT_EQ(next[0].phase, GroupPhase::running);
  EXPECT_EQ(next[0].running, 3);
}

TEST_F(ReconcilerTest, WRITE4AFailedStatusIsWrittenAgainAsItThenShouldBe) {
  writer_.outcome = {WriteResult::failed, "503"};
  EXPECT_EQ(session(waits(2)).statuses.size(), 1u);
  run_all();
  EXPECT_TRUE(session().statuses.empty()) << "its back-off";
  writer_.outcome = {};
  const auto again = session_after(seconds(1)).statuses;
  ASSERT_EQ(again.size(), 1u);
  EXPECT_EQ(again[0].phase, GroupPhase::running);
  EXPECT_TRUE(session_after(minutes(5)).statuses.empty());
}

TEST_F(ReconcilerTest, WRITE4AnEventIsNotPublishedAgainWithARepeatedStatus) {
  writer_.outcome = {WriteResult::failed, "503"};
  EXPECT_EQ(session(waits(2)).events.size(), 1u);
  writer_.outcome = {};
  side_->reconciler.look_at({mirror_.find_group("ml/g")});
  const auto again = session_after(seconds(1), waits(2));
  EXPECT_EQ(again.statuses.size(), 1u);
  EXPECT_EQ(again.events.size(), 1u) << "the failed event alone is sent again";
}

TEST_F(ReconcilerTest, WRITE7WhatTheServerRefusesForGoodIsNotRepeated) {
  writer_.outcome = {WriteResult::refused, "422"};
  EXPECT_EQ(session(waits(2)).statuses.size(), 1u);
  writer_.outcome = {};
  EXPECT_TRUE(session_after(minutes(5), waits(2)).statuses.empty());
  run_all();
  EXPECT_EQ(session().statuses.size(), 1u) << "another status";
}

TEST_F(ReconcilerTest, WRITE6AfterALeaderChangeOnlyWhatTheApiSaysCounts) {
  EXPECT_EQ(session(waits(2)).statuses.size(), 1u);
  side_->stop_leading();
  // The other leader writes something else; we see it, and lead again.
  PodGroupObject group = make_group("g", 3);
  group.written.reason = "NotEnoughResources";
  group.written.message = "in other words";
  see(group);
  side_->writes.start_leading(++epoch_);
  const auto written = session_after(minutes(1), waits(2)).statuses;
  ASSERT_EQ(written.size(), 1u);
  EXPECT_EQ(written[0].message, sentence(Reason::gang_incomplete, 2, 3, ""));
}

TEST_F(ReconcilerTest, WRITE7WhatAnotherWritesOverOurStatusIsNotFought) {
  session(waits(2));
  PodGroupObject group = make_group("g", 3);
  group.written.message = "of another controller";
  see(group);
  EXPECT_TRUE(session_after(minutes(1), waits(2)).statuses.empty());
}

TEST_F(ReconcilerTest, AGroupMadeAnewUnderTheSameNameIsWrittenAnew) {
  session(waits(2));
  for (int i = 0; i < 3; ++i) see(PodDeleted{"g-" + std::to_string(i)});
  see(PodGroupDeleted{"ml/g"});
  PodGroupObject anew = make_group("g", 3);
  anew.uid = "anew";
  see_gang(anew, 3);
  const auto written = session_after(seconds(1), waits(2)).statuses;
  ASSERT_EQ(written.size(), 1u);
  EXPECT_EQ(written[0].object.uid, "anew");
}

TEST_F(ReconcilerTest, WRITE8ALockThatIsNotSeenIsWrittenAgain) {
  Plan plan;
  mirror_.settle(now_);
  plan.reservations.emplace_back();
  plan.reservations[0].job = mirror_.find_group("ml/g");
  plan.reservations[0].nodes = {mirror_.cluster().find_node("n1")};
  mirror_.assume_reservations(plan, now_);
  EXPECT_EQ(session(plan).locks.size(), 1u);
  EXPECT_TRUE(session_after(seconds(9), plan).locks.empty());
  EXPECT_EQ(side_->doubts, 0);
  EXPECT_EQ(session_after(seconds(1), plan).locks.size(), 1u);
  EXPECT_EQ(side_->doubts, 1) << "the watch may be dead";
}

TEST_F(ReconcilerTest, WRITE8ARefusedLockSaysNothingOfTheWatch) {
  Plan plan;
  mirror_.settle(now_);
  plan.reservations.emplace_back();
  plan.reservations[0].job = mirror_.find_group("ml/g");
  plan.reservations[0].nodes = {mirror_.cluster().find_node("n1")};
  mirror_.assume_reservations(plan, now_);
  writer_.outcome = {WriteResult::refused, "a policy"};
  EXPECT_EQ(session(plan).locks.size(), 1u);
  session_after(minutes(1), plan);
  EXPECT_EQ(side_->doubts, 0);
}

TEST_F(ReconcilerTest, WRITE4AFailedStatusOfTheOtherApiIsNotLostWhenItsReasonChanges) {
  PodGroupObject other = make_group("other", 2);
  other.api = GroupApi::sig;
  see_gang(other, 2);
  for (int i = 0; i < 2; ++i) see(running_on(make_member("other", i), "n1"));
  const auto of_other = [](const RecordingWriter::Written& written) {
    std::size_t count = 0;
    for (const auto& status : written.statuses) count += status.object.name == "other" ? 1 : 0;
    return count;
  };
  writer_.keeps_answers_back = true;
  EXPECT_EQ(of_other(session()), 1u);
  mirror_.settle(now_);
  Plan waits;
  waits.refusals = {refusal_of(mirror_, "other", Reason::surplus_waits, 2, 1)};
  EXPECT_EQ(of_other(session(waits)), 0u) << "only the reason differs, which is no field of it";
  writer_.answer({WriteResult::failed, "503"});
  EXPECT_EQ(of_other(session(waits)), 0u) << "its back-off";
  EXPECT_EQ(of_other(session_after(seconds(1), waits)), 1u);
}

TEST_F(ReconcilerTest, EVICT5APodIsNotEvictedAgainWhileItsEvictionIsRepeated) {
  mirror_.settle(now_);
  const Task& task = mirror_.cluster().task(mirror_.find_task("g-0"));
  writer_.outcome = {WriteResult::failed, "429"};
  side_->reconciler.evict(task, "first", now_);
  side_->take_answers(now_);
  side_->reconciler.evict(task, "second", now_ + minutes(6));
  EXPECT_EQ(writer_.take().evictions.size(), 1u);
  EXPECT_EQ(side_->writes.counters(Writes::Kind::eviction).pending, 1u);
}

TEST_F(ReconcilerTest, WRITE8ALockOfADeletedNodeIsForgotten) {
  Plan plan;
  mirror_.settle(now_);
  plan.reservations.emplace_back();
  plan.reservations[0].job = mirror_.find_group("ml/g");
  plan.reservations[0].nodes = {mirror_.cluster().find_node("n1")};
  mirror_.assume_reservations(plan, now_);
  EXPECT_EQ(session(plan).locks.size(), 1u);
  see(NodeDeleted{"n1"});
  EXPECT_TRUE(session_after(minutes(1)).locks.empty());
  see(make_node("n1", 4));
  EXPECT_TRUE(session_after(minutes(1)).locks.empty()) << "the node that came is open";
}

}  // namespace
}  // namespace berth::reconcile
