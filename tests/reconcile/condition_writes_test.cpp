#include "reconcile/condition_writes.h"

#include <gtest/gtest.h>

#include "reconcile/reconcile_fixture.h"

namespace berth::reconcile {
namespace {

using WriteResult = ports::WriteOutcome::Result;
using Texts = std::vector<std::string>;
using std::chrono::milliseconds;
using std::chrono::minutes;
using std::chrono::seconds;

// A gang of three that waits.
class ConditionWritesTest : public ReconcileTest {
 protected:
  void SetUp() override {
    turn_on();
    see(make_node("n1", 4));
    see_gang(make_group("g", 3), 3);
  }
  void turn_on() { side_->reconciler.set_options({.autoscaling = true}); }
  Plan waits(Reason reason, const std::string& group = "g") {
    mirror_.settle(now_);
    Plan plan;
    plan.refusals = {refusal_of(mirror_, group, reason, 1, 3)};
    return plan;
  }
  // "g-0 Unschedulable"
  static Texts texts(const RecordingWriter::Written& written) {
    Texts found;
    for (const auto& each : written.conditions) {
      found.push_back(each.object.uid + " " + each.scheduled.reason);
    }
    std::sort(found.begin(), found.end());
    return found;
  }
  Texts after(Duration pause, const Plan& plan) { return texts(session_after(pause, plan)); }
  // The watch shows what was written.
  void show(const std::string& reason) {
    for (int i = 0; i < 3; ++i) {
      PodObject pod = make_member("g", i);
      pod.not_scheduled = reason;
      see(pod);
    }
  }

  const Texts unschedulable_{"g-0 Unschedulable", "g-1 Unschedulable", "g-2 Unschedulable"};
  const Texts waiting_{"g-0 Waiting", "g-1 Waiting", "g-2 Waiting"};
};

TEST_F(ConditionWritesTest, AUTOSCALE2AConditionIsWrittenOnceForEachTransition) {
  EXPECT_EQ(after({}, waits(Reason::gang_incomplete)), Texts{});
  EXPECT_EQ(after(seconds(5), waits(Reason::gang_incomplete)), unschedulable_);
  EXPECT_EQ(after(minutes(1), waits(Reason::larger_than_cluster)), Texts{}) << "nodes help, too";
  show("Unschedulable");
  EXPECT_EQ(after(minutes(1), waits(Reason::gang_incomplete)), Texts{}) << "our own write";
  EXPECT_EQ(after({}, waits(Reason::queue_share_used)), Texts{});
  EXPECT_EQ(after(seconds(5), waits(Reason::queue_share_used)), waiting_);
  show("Waiting");
  EXPECT_EQ(after(minutes(1), waits(Reason::queue_capability)), Texts{});
  EXPECT_EQ(after({}, waits(Reason::gang_incomplete)), Texts{});
  EXPECT_EQ(after(seconds(5), waits(Reason::gang_incomplete)), unschedulable_);
}

TEST_F(ConditionWritesTest, AUTOSCALE2WhatAnotherWritesOverOursStays) {
  session(waits(Reason::gang_incomplete));
  EXPECT_EQ(after(seconds(5), waits(Reason::gang_incomplete)), unschedulable_);
  show("Unschedulable");
  show("Foreign");
  EXPECT_EQ(after(minutes(1), waits(Reason::gang_incomplete)), Texts{});
}

TEST_F(ConditionWritesTest, AUTOSCALE1AJobThatWaitsForItsQueueGetsNoCondition) {
  session(waits(Reason::queue_too_small));
  EXPECT_EQ(after(minutes(1), waits(Reason::queue_too_small)), Texts{});
}

TEST_F(ConditionWritesTest, AUTOSCALE1OnlyPodsThatCouldBePlacedGetIt) {
  PodObject gated = make_member("g", 0);
  gated.gates = {"example.com/quota"};
  see(gated);
  PodObject ours = make_member("g", 1);
  ours.gates = {kPlanGate};
  see(ours);
  see(make_member("g", 3));
  see(make_member("g", 4));
  assume(mirror_, {{"g-2", "n1"}});
  see(running_on(make_member("g", 3), "n1"));
  session(waits(Reason::surplus_waits));
  EXPECT_EQ(after(seconds(5), waits(Reason::surplus_waits)), Texts{"g-4 Unschedulable"});
}

TEST_F(ConditionWritesTest, AUTOSCALE3OnlyAReasonThatHoldsForFiveSecondsCounts) {
  for (int i = 0; i < 5; ++i) {
    EXPECT_EQ(after(seconds(4), waits(Reason::gang_incomplete)), Texts{});
    EXPECT_EQ(after(seconds(4), waits(Reason::queue_share_used)), Texts{});
    EXPECT_EQ(after(seconds(4), waits(Reason::gang_incomplete)), Texts{});
    EXPECT_EQ(after(seconds(4), {}), Texts{}) << "it does not wait";
  }
  session(waits(Reason::gang_incomplete));
  EXPECT_EQ(after(milliseconds(4999), waits(Reason::gang_incomplete)), Texts{});
  EXPECT_EQ(after(milliseconds(1), waits(Reason::gang_incomplete)), unschedulable_);
  see(make_member("g", 3));
  EXPECT_EQ(after({}, waits(Reason::gang_incomplete)), Texts{"g-3 Unschedulable"})
      << "its job has waited";
}

TEST_F(ConditionWritesTest, AUTOSCALE3AnotherJobOfTheSamePlaceInTheListWaitsAnew) {
  session(waits(Reason::gang_incomplete));
  for (int i = 0; i < 3; ++i) see(PodDeleted{"g-" + std::to_string(i)});
  see(PodGroupDeleted{"ml/g"});
  see_gang(make_group("h", 3), 3);
  EXPECT_EQ(after(seconds(5), waits(Reason::gang_incomplete, "h")), Texts{});
  EXPECT_EQ(after(seconds(5), waits(Reason::gang_incomplete, "h")),
            (Texts{"h-0 Unschedulable", "h-1 Unschedulable", "h-2 Unschedulable"}));
}

TEST_F(ConditionWritesTest, AUTOSCALE4AHundredAreWrittenASecondTheLongestWaitingFirst) {
  see_gang(make_group("large", 250), 250);
  session(waits(Reason::gang_incomplete, "large"));
  Plan plan = waits(Reason::gang_incomplete, "large");
  plan.refusals.push_back(waits(Reason::gang_incomplete).refusals[0]);
  std::size_t written = session_after(seconds(1), plan).conditions.size();
  EXPECT_EQ(written, 0u);
  std::set<std::string> pods;
  const auto write = [&](Duration pause) {
    const Texts found = after(pause, plan);
    pods.insert(found.begin(), found.end());
    return found.size();
  };
  EXPECT_EQ(write(seconds(4)), 100u);
  EXPECT_EQ(write(milliseconds(999)), 0u);
  EXPECT_EQ(write(milliseconds(1)), 100u);
  EXPECT_FALSE(pods.contains("g-0 Unschedulable"));
  EXPECT_EQ(write(seconds(1)), 53u);
  EXPECT_EQ(pods.size(), 253u) << "each pod once";
  EXPECT_EQ(write(minutes(1)), 0u);
}

TEST_F(ConditionWritesTest, AUTOSCALE4ManyPodsGetTheirsInTurnWhenTheServerFails) {
  session(waits(Reason::gang_incomplete));
  writer_.outcome = {WriteResult::failed, "503"};
  EXPECT_EQ(after(seconds(5), waits(Reason::gang_incomplete)), unschedulable_);
  EXPECT_EQ(after({}, waits(Reason::gang_incomplete)), Texts{}) << "its back-off";
  writer_.outcome = {};
  Texts again;
  for (int i = 0; i < 3; ++i) {
    const Texts found = after(seconds(1), waits(Reason::gang_incomplete));
    again.insert(again.end(), found.begin(), found.end());
  }
  EXPECT_EQ(again, unschedulable_);
  EXPECT_EQ(after(minutes(5), waits(Reason::gang_incomplete)), Texts{});
  EXPECT_EQ(side_->writes.counters(Writes::Kind::status).pending, 0u);
}

TEST_F(ConditionWritesTest, AUTOSCALE2WhatTheServerRefusesForGoodIsNotRepeated) {
  session(waits(Reason::gang_incomplete));
  writer_.outcome = {WriteResult::refused, "422"};
  EXPECT_EQ(after(seconds(5), waits(Reason::gang_incomplete)), unschedulable_);
  EXPECT_EQ(after(minutes(5), waits(Reason::gang_incomplete)), Texts{});
}

TEST_F(ConditionWritesTest, AUTOSCALE2TheNextLeaderGoesByWhatTheApiSays) {
  session(waits(Reason::gang_incomplete));
  EXPECT_EQ(after(seconds(5), waits(Reason::gang_incomplete)), unschedulable_);
  side_->stop_leading();
  show("Waiting");
  side_->writes.start_leading(++epoch_);
  EXPECT_EQ(after(seconds(5), waits(Reason::gang_incomplete)), unschedulable_);
  show("Unschedulable");
  side_->stop_leading();
  side_->writes.start_leading(++epoch_);
  EXPECT_EQ(after(minutes(1), waits(Reason::gang_incomplete)), Texts{});
}

TEST_F(ConditionWritesTest, AUTOSCALE5WithoutTheOptionNothingIsWritten) {
  side_->reconciler.set_options({.autoscaling = false});
  session(waits(Reason::gang_incomplete));
  EXPECT_EQ(after(minutes(1), waits(Reason::gang_incomplete)), Texts{});
}

}  // namespace
}  // namespace berth::reconcile
