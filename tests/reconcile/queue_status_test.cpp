#include "reconcile/queue_status.h"

#include <algorithm>

#include "reconcile/queue_status_fixture.h"

namespace berth::reconcile {
namespace {

TEST_F(QueueStatusTest, WritesSharesCountsAndConditions) {
  see(queue("a", 4));
  see(queue("b"));
  run("g", "b", 3);
  const auto written = round();
  ASSERT_EQ(written.queues.size(), 2U) << "not of the default queue: it is no object";
  const auto& b = status_of(written, "b");
  EXPECT_EQ(b.object.uid, "b");
  EXPECT_EQ(b.state, QueueState::open);
  EXPECT_EQ(b.written.running, 1);
  EXPECT_EQ(b.written.allocated, (NamedAmounts{{"cpu", 3000}, {"pods", 1}}));
  EXPECT_EQ(b.written.deserved, (NamedAmounts{{"cpu", 3000}, {"pods", 1}}));
  EXPECT_EQ(b.written.guarantee, NamedAmounts());
  EXPECT_EQ(b.written.real_capability, (NamedAmounts{{"cpu", 6000}, {"pods", 110}}));
  EXPECT_EQ(b.written.ready, (WrittenCondition{true, "Open", "", now_}));
  EXPECT_EQ(b.written.scaled, (WrittenCondition{false, "InForce", "", now_}));
  EXPECT_EQ(status_of(written, "a").written.guarantee, (NamedAmounts{{"cpu", 4000}}));
  EXPECT_EQ(written.lines, Lines{"job ml/g is Running: 1 of 1 pods run, minimum 1"});
}

TEST_F(QueueStatusTest, WritesNothingWhenNothingChanged) {
  see(queue("a"));
  round();
  EXPECT_TRUE(round_after(seconds(60)).queues.empty());
  mirror_.apply(make_group("elsewhere", 1));  // in the default queue
  EXPECT_TRUE(round_after(seconds(60)).queues.empty());
}

TEST_F(QueueStatusTest, STATUS4NumbersAreWrittenAtMostEveryTenSeconds) {
  see(queue("a"));
  round();
  run("g", "a", 3);
  EXPECT_TRUE(round_after(seconds(5)).queues.empty());
  const auto written = round_after(seconds(5));
  ASSERT_EQ(written.queues.size(), 1U);
  EXPECT_EQ(written.queues[0].written.allocated.at("cpu"), 3000);
  EXPECT_EQ(written.queues[0].state, std::nullopt) << "there is one in the API";
}

TEST_F(QueueStatusTest, AFaultIsWrittenAndLoggedAtOnceAndOnce) {
  see(queue("a"));
  round();
  QueueObject bad = queue("a");
  bad.fault = "odd";
  see(bad);
  const TimePoint since = now_ + seconds(2);
  const auto written = round_after(seconds(2));
  ASSERT_EQ(written.queues.size(), 1U);
  EXPECT_EQ(written.queues[0].written.ready, (WrittenCondition{false, "Faulty", "odd", since}));
  EXPECT_EQ(written.lines, Lines{"queue a is at fault, its jobs wait: odd"});
  const auto later = round_after(seconds(60));
  EXPECT_TRUE(later.queues.empty());
  EXPECT_TRUE(later.lines.empty());
  see(queue("a"));
  const auto well = round_after(seconds(2));
  ASSERT_EQ(well.queues.size(), 1U);
  EXPECT_TRUE(well.queues[0].written.ready.holds);
  EXPECT_EQ(well.lines, Lines{"queue a is set up correctly again"});
}

TEST_F(QueueStatusTest, AScaledGuaranteeIsInStatusConditionAndLog) {
  see(queue("a", 8));
  round();
  see(queue("b", 12));
  const auto written = round_after(seconds(2));
  const auto& a = status_of(written, "a");
  EXPECT_EQ(a.written.guarantee, (NamedAmounts{{"cpu", 4000}}));
  const std::string message =
      "its guarantee and its neighbours' are more than there is; in force: 4 of 8 cpu";
  EXPECT_EQ(a.written.scaled, (WrittenCondition{true, "Overcommitted", message, now_}));
  EXPECT_TRUE(a.written.ready.holds) << "its jobs are served";
  EXPECT_EQ(written.lines[0], "queue a: " + message);
  EXPECT_EQ(written.lines.size(), 2U);
  // Another node, and all is well again.
  mirror_.apply(make_node("n2", 10));
  const auto well = round_after(seconds(2));
  EXPECT_FALSE(status_of(well, "a").written.scaled.holds);
  EXPECT_EQ(well.lines[0], "queue a: its guarantee is in force in full again");
}

TEST_F(QueueStatusTest, OfManyChangesAtOnceTheFirstAreLogged) {
  for (int i = 0; i < 30; ++i) see(queue("q" + std::to_string(100 + i), 10));
  const auto written = round();
  ASSERT_EQ(written.lines.size(), 21U);
  EXPECT_EQ(written.lines.back(), "... and 10 more such lines on queues");
}

TEST_F(QueueStatusTest, AQueueThatIsClosedOrBelowOneIsNotReady) {
  QueueObject closed = queue("a");
  closed.state = QueueState::closed;
  see(closed);
  QueueObject below = queue("x");
  below.parent = "a";
  see(below);
  const auto written = round();
  EXPECT_EQ(status_of(written, "a").written.ready.reason, "Closed");
  EXPECT_EQ(status_of(written, "x").written.ready.reason, "ParentNotOpen");
  EXPECT_EQ(status_of(written, "x").written.ready.message, "the queue \"a\" above it is not open");
}

TEST_F(QueueStatusTest, WhatTheApiSaysAlreadyIsNotWritten) {
  see(queue("a", 4));
  const auto written = round();
  ASSERT_EQ(written.queues.size(), 1U);
  QueueObject again = queue("a", 4);
  again.written = written.queues[0].written;
  start();
  side_->observe(again);
  EXPECT_TRUE(round_after(seconds(60)).queues.empty());
}

TEST_F(QueueStatusTest, AConditionKeepsItsTimeOverARestart) {
  QueueObject known = queue("a");
  known.written.has_state = true;
  known.written.ready = {true, "Open", "", TimePoint(seconds(7))};
  see(known);
  const auto written = round();
  ASSERT_EQ(written.queues.size(), 1U);
  EXPECT_EQ(written.queues[0].written.ready.since, TimePoint(seconds(7)));
  EXPECT_EQ(written.queues[0].written.scaled.since, now_) << "there was none";
}

TEST_F(QueueStatusTest, NamesWhatAnEarlierStatusMayHaveNamed) {
  QueueObject known = queue("a");
  known.written.allocated = {{"nvidia.com/gpu", 4}};
  see(known);
  const auto written = round();
  ASSERT_EQ(written.queues.size(), 1U);
  const auto& resources = written.queues[0].resources;
  EXPECT_NE(std::find(resources.begin(), resources.end(), "nvidia.com/gpu"), resources.end());
  EXPECT_FALSE(written.queues[0].written.allocated.contains("nvidia.com/gpu"));
}

TEST_F(QueueStatusTest, AQueueMadeAnewIsWrittenAnew) {
  see(queue("a"));
  round();
  see(QueueDeleted{"a"});
  round_after(seconds(60));
  see(queue("a"));
  EXPECT_EQ(round_after(seconds(2)).queues.size(), 1U);
}

TEST_F(QueueStatusTest, WithoutSharesThereAreNone) {
  is_divided_ = false;
  see(queue("a", 20));
  const auto written = round();
  ASSERT_EQ(written.queues.size(), 1U);
  EXPECT_TRUE(written.queues[0].written.deserved.empty());
  EXPECT_TRUE(written.queues[0].written.guarantee.empty());
  EXPECT_EQ(written.queues[0].written.scaled.reason, "NotDivided");
  EXPECT_TRUE(written.lines.empty());
}

// Issue 9, row 12.
TEST_F(QueueStatusTest, WhatHasNoEffectIsAConditionAndALineOnceAndTakenBack) {
  see(queue("a"));
  round();
  QueueObject odd = queue("a");
  odd.not_honoured = {"spec.affinity"};
  odd.guarantees_hard = true;
  see(odd);
  const TimePoint since = now_ + seconds(2);
  const auto written = round_after(seconds(2));
  const std::string message =
      "spec.affinity is not honoured; "
      "guarantee.policy Guaranteed has no effect: no action evicts; add shuffle";
  EXPECT_EQ(written.lines, Lines{"queue a: " + message});
  EXPECT_EQ(status_of(written, "a").written.honoured,
            (WrittenCondition{false, "FieldsNotHonoured", message, since}));
  EXPECT_TRUE(round_after(seconds(60)).queues.empty());
  plan_.evicts = true;
  const auto less = round_after(seconds(60));
  EXPECT_EQ(status_of(less, "a").written.honoured,
            (WrittenCondition{false, "FieldsNotHonoured", "spec.affinity is not honoured", since}));
  see(queue("a"));
  const auto well = round_after(seconds(2));
  EXPECT_EQ(well.lines, Lines{"queue a: all that is set up for it has its effect again"});
  EXPECT_EQ(status_of(well, "a").written.honoured, WrittenCondition());
}

TEST_F(QueueStatusTest, STATUS4AFailedUrgentStatusIsWrittenAgainWhenItsBackOffIsOver) {
  see(queue("a"));
  round();
  QueueObject closed = queue("a");
  closed.state = QueueState::closed;
  see(closed);
  writer_.outcome = {ports::WriteOutcome::Result::failed, "503"};
  EXPECT_EQ(round_after(seconds(2)).queues.size(), 1U);
  writer_.outcome = {};
  EXPECT_EQ(round_after(seconds(1)).queues.size(), 1U) << "not after ten seconds";
  EXPECT_TRUE(round_after(seconds(1)).queues.empty());
}

}  // namespace
}  // namespace berth::reconcile
