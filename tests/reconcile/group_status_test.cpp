#include "reconcile/group_status.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "reconcile/reconcile_fixture.h"

namespace berth::reconcile {
namespace {

using Lines = std::vector<std::string>;

class GroupStatusTest : public ReconcileTest {
 protected:
  void SetUp() override {
    for (const char* node : {"n1", "n2"}) see(make_node(node, 4));
    see_gang(make_group("g", 3), 3);
    mirror_.settle(TimePoint());
  }
  Plan refusal(std::int64_t have) {
    Plan plan;
    plan.refusals = {refusal_of(mirror_, "g", Reason::gang_incomplete, have, 3)};
    return plan;
  }
};

TEST_F(GroupStatusTest, SaysWhereAJobWasPlanned) {
  const Plan plan = assume(mirror_, {{"g-0", "n1"}, {"g-1", "n1"}, {"g-2", "n2"}});
  EXPECT_EQ(session(plan).lines, Lines{"job ml/g planned: 3 pods on n1 (2) n2 (1)"});
}

TEST_F(GroupStatusTest, SaysWhyAJobWaitsInTheSameWordsEverywhere) {
  const auto written = session(refusal(2));
  ASSERT_EQ(written.statuses.size(), 1u);
  const auto& status = written.statuses[0];
  EXPECT_EQ(status.object.name_space, "ml");
  EXPECT_EQ(status.object.name, "g");
  EXPECT_EQ(status.reason, "NotEnoughResources");
  EXPECT_EQ(status.message, sentence(Reason::gang_incomplete, 2, 3, ""));
  EXPECT_EQ(written.lines, Lines{"job ml/g waits: " + status.message});
}

TEST_F(GroupStatusTest, EVENT8TextsOfOthersAreShownSafely) {
  const std::string mark = "\xEF\xBF\xBD";
  PodGroupObject group = make_group("g", 3);
  group.queue = "q\x1b[2J\n";
  see(group);
  Plan plan = refusal(2);
  plan.refusals[0].reason = Reason::queue_missing;
  plan.refusals[0].what = group.queue;
  plan.order = {plan.refusals[0].job};
  const auto written = session(plan);
  ASSERT_EQ(written.statuses.size(), 1u);
  const auto& status = written.statuses[0];
  EXPECT_EQ(status.message, "queue \"q" + mark + "[2J" + mark + "\" does not exist");
  EXPECT_EQ(status.waiting.position_text, "1st of 1 in queue q" + mark + "[2J" + mark);
  for (const auto& event : written.events) {
    EXPECT_EQ(event.message.find_first_of("\x1b\n"), std::string::npos) << event.message;
  }
  EXPECT_TRUE(session(plan).statuses.empty()) << "it is as written";
}

TEST_F(GroupStatusTest, TheSameReasonAgainIsNotWritten) {
  session(refusal(2));
  const auto again = session(refusal(2));
  EXPECT_TRUE(again.statuses.empty());
  EXPECT_TRUE(again.lines.empty());
}

TEST_F(GroupStatusTest, STATUS2NumbersThatChangeAreWrittenNowAndThen) {
  session(refusal(2));
  EXPECT_TRUE(session(refusal(1)).statuses.empty()) << "they change with all that comes and goes";
  now_ += std::chrono::seconds(30);
  const auto later = session(refusal(1));
  ASSERT_EQ(later.statuses.size(), 1u);
  EXPECT_EQ(later.statuses[0].message, sentence(Reason::gang_incomplete, 1, 3, ""));
  now_ += std::chrono::seconds(30);
  EXPECT_EQ(session(refusal(0)).lines.size(), 1u);
}

TEST_F(GroupStatusTest, HINT6ThatKubeSchedulerRefusesAJobIsWrittenAtOnce) {
  session(refusal(2));
  Plan refused = refusal(0);
  refused.refusals[0].reason = Reason::refused_by_scheduler;
  refused.refusals[0].what = "3 node(s) had no device (tried again after 1970-01-01T00:00:02Z)";
  const auto written = session(refused);
  ASSERT_EQ(written.statuses.size(), 1u);
  EXPECT_EQ(written.statuses[0].reason, "NotEnoughResources");
  EXPECT_EQ(written.statuses[0].message,
            "kube-scheduler refused its last plan: 3 node(s) had no device (tried again after "
            "1970-01-01T00:00:02Z)");
  now_ += std::chrono::seconds(11);
  refused.refusals[0].what = "3 node(s) had no device (tried again after 1970-01-01T00:00:04Z)";
  EXPECT_TRUE(session(refused).statuses.empty()) << "another time is no news";
}

// Issue 9, row 12.
TEST_F(GroupStatusTest, ConfigurationWithoutEffectIsLoggedWhenItChanges) {
  Plan plan;
  plan.notes = {"a", "c"};
  EXPECT_EQ(session(plan).lines, (Lines{"configuration: a", "configuration: c"}));
  EXPECT_TRUE(session(plan).lines.empty());
  plan.notes = {"b", "c"};
  EXPECT_EQ(session(plan).lines, (Lines{"configuration: b", "configuration: no longer so: a"}));
}

TEST_F(GroupStatusTest, OneEventSaysWhyTheGroupWaits) {
  const auto written = session(refusal(2));
  ASSERT_EQ(written.events.size(), 1u);
  EXPECT_EQ(written.events[0].reason, "Unschedulable");
  EXPECT_EQ(written.events[0].message, sentence(Reason::gang_incomplete, 2, 3, ""));
  now_ += std::chrono::minutes(1);
  for (const auto& event : session(refusal(1)).events) {
    EXPECT_EQ(event.object.kind, ports::ObjectKind::pod) << "its pods have their own";
  }
}

TEST_F(GroupStatusTest, WhatTheApiSaysAlreadyIsNotWritten) {
  PodGroupObject group = make_group("g", 3);
  group.written.reason = "NotEnoughResources";
  group.written.message = sentence(Reason::gang_incomplete, 2, 3, "");
  group.written.waiting = {"gang_incomplete", "default", "", {}, {}};
  start();
  side_->observe(group);
  EXPECT_TRUE(session(refusal(2)).statuses.empty());
}

TEST_F(GroupStatusTest, TheReasonIsClearedOnceTheJobIsPlaced) {
  session(refusal(2));
  const auto written = session(assume(mirror_, {{"g-0", "n1"}, {"g-1", "n1"}, {"g-2", "n2"}}));
  ASSERT_EQ(written.statuses.size(), 1u);
  EXPECT_EQ(written.statuses[0].reason, "");
  EXPECT_EQ(written.statuses[0].message, "");
  EXPECT_TRUE(session(Plan{}).statuses.empty());
}

TEST_F(GroupStatusTest, AChangeOfPhaseAndOfReasonIsOneWrite) {
  mirror_.take_phase_changes();
  Plan plan = refusal(2);
  plan.admitted = {mirror_.find_group("ml/g")};
  mirror_.assume(plan, TimePoint());
  mirror_.settle(TimePoint());
  const auto written = session(plan);
  ASSERT_EQ(written.statuses.size(), 1u);
  EXPECT_EQ(written.statuses[0].phase, GroupPhase::inqueue);
  EXPECT_EQ(written.statuses[0].reason, "NotEnoughResources");
}

TEST_F(GroupStatusTest, AChangeOfPhaseAloneKeepsTheReason) {
  session(refusal(2));
  Plan plan = refusal(2);
  plan.admitted = {mirror_.find_group("ml/g")};
  mirror_.assume(plan, TimePoint());
  mirror_.settle(TimePoint());
  const auto written = session(plan);
  ASSERT_EQ(written.statuses.size(), 1u);
  EXPECT_EQ(written.statuses[0].phase, GroupPhase::inqueue);
  EXPECT_EQ(written.statuses[0].reason, "NotEnoughResources");
  EXPECT_EQ(written.lines, Lines{"job ml/g is Inqueue: 0 of 3 pods run, minimum 3"});
}

// The mirror gives the ids of what is gone to what comes.
TEST_F(GroupStatusTest, AJobInThePlaceOfADeletedOneHasItsReason) {
  const Plan plan = refusal(2);
  session(plan);
  for (int i = 0; i < 3; ++i) mirror_.apply(PodDeleted{"g-" + std::to_string(i)});
  see(PodGroupDeleted{"ml/g"});
  see_gang(make_group("h", 3), 3);
  mirror_.settle(TimePoint());
  ASSERT_EQ(mirror_.find_group("ml/h"), plan.refusals[0].job) << "else this test shows nothing";
  const auto written = session(plan);
  ASSERT_EQ(written.statuses.size(), 1u);
  EXPECT_EQ(written.statuses[0].object.name, "h");
}

TEST_F(GroupStatusTest, ADeletedJobIsNotWritten) {
  session(refusal(2));
  for (int i = 0; i < 3; ++i) mirror_.apply(PodDeleted{"g-" + std::to_string(i)});
  mirror_.apply(PodGroupDeleted{"ml/g"});
  mirror_.settle(TimePoint());
  EXPECT_TRUE(session(Plan{}).statuses.empty());
}

TEST_F(GroupStatusTest, AJobOfOnePodHasNoGroupToWriteTo) {
  PodObject pod = make_member("x", 1);
  pod.group.clear();
  mirror_.apply(pod);
  mirror_.settle(TimePoint());
  Plan plan;
  plan.refusals.resize(1);
  plan.refusals[0].job = mirror_.cluster().task(mirror_.find_task("x-1")).job;
  plan.refusals[0].reason = Reason::gang_incomplete;
  const auto written = session(plan);
  EXPECT_TRUE(written.statuses.empty());
  EXPECT_EQ(written.lines.size(), 1u);
}

TEST_F(GroupStatusTest, AGroupWhosePodsAreOnlyComingHasNoReasonForAWhile) {
  const auto has_message_after = [this](const std::string& name, Duration age) {
    PodGroupObject group = make_group(name, 3);
    group.created = now_ - age;
    see_gang(group, 1);
    mirror_.settle(now_);
    Plan plan;
    plan.refusals = {refusal_of(mirror_, name, Reason::too_few_tasks, 1, 3)};
    const auto statuses = session(plan).statuses;
    return std::any_of(statuses.begin(), statuses.end(), [&](const auto& each) {
      return each.object.name == name && !each.message.empty();
    });
  };
  using std::chrono::minutes;
  using std::chrono::seconds;
  EXPECT_FALSE(has_message_after("young", seconds(3)));
  EXPECT_FALSE(has_message_after("of-a-clock-that-is-a-bit-ahead", -seconds(3)));
  EXPECT_TRUE(has_message_after("old", seconds(20)));
  EXPECT_TRUE(has_message_after("of-a-clock-that-is-far-ahead", -minutes(5)));
}

TEST_F(GroupStatusTest, EvictsAndSaysWhy) {
  see_gang(make_group("victim", 1), 1);
  see(running_on(make_member("victim", 0), "n1"));
  mirror_.settle(TimePoint());
  const Task& victim = mirror_.cluster().task(mirror_.find_task("victim-0"));
  side_->reconciler.evict(victim, "by preempt for ml/g", now_);
  const auto written = writer_.take();
  ASSERT_EQ(written.evictions.size(), 1u);
  EXPECT_EQ(written.evictions[0].object,
            (ports::ObjectRef{ports::ObjectKind::pod, "ml", "victim-0", "victim-0"}));
  EXPECT_EQ(written.evictions[0].reason, "by preempt for ml/g");
  EXPECT_EQ(written.lines, Lines{"pod ml/victim-0 is evicted by preempt for ml/g"});
}

TEST_F(GroupStatusTest, TheLogSaysWhyAJobKeepsNoRoomAnyMore) {
  Plan plan;
  plan.ended_claims = {{mirror_.find_group("ml/g"), EndedClaims::How::timed_out}};
  const Lines lines = session(plan).lines;
  EXPECT_NE(std::find(lines.begin(), lines.end(),
                      "job ml/g keeps no room any more: the room that it was promised was not "
                      "vacated in time"),
            lines.end());
}

TEST(SplitName, IsCutAtTheFirstSlash) {
  EXPECT_EQ(split_name("ns/name"), (std::pair<std::string, std::string>("ns", "name")));
}

// A group of scheduling.x-k8s.io has no condition to hold a reason.
TEST_F(GroupStatusTest, STATUS3AGroupOfTheOtherApiIsWrittenForItsPhaseAndHasEvents) {
  PodGroupObject other = make_group("other", 2);
  other.api = GroupApi::sig;
  see_gang(other, 2);
  mirror_.settle(now_);
  Plan plan;
  plan.refusals = {refusal_of(mirror_, "other", Reason::gang_incomplete, 1, 2)};
  auto written = session(plan);
  EXPECT_TRUE(written.statuses.empty());
  ASSERT_EQ(written.events.size(), 1u);
  EXPECT_EQ(written.events[0].object.kind, ports::ObjectKind::sig_pod_group);
  now_ += std::chrono::seconds(60);
  for (int i = 0; i < 2; ++i) mirror_.apply(running_on(make_member("other", i), "n1"));
  mirror_.settle(now_);
  written = session({});
  ASSERT_EQ(written.statuses.size(), 1u);
  EXPECT_EQ(written.statuses[0].scheduled, 2);
  EXPECT_EQ(written.statuses[0].phase, GroupPhase::running);
  EXPECT_EQ(written.statuses[0].started, now_);
  other.phase = GroupPhase::running;
  other.started = now_ - std::chrono::seconds(5);
  see(other);
  EXPECT_TRUE(session({}).statuses.empty());
}

TEST_F(GroupStatusTest, KUBEGROUP5AGroupOfKubernetesHasItsReasonUntilItIsScheduled) {
  PodGroupObject own = make_group("own", 2);
  own.api = GroupApi::kubernetes;
  own.not_honoured = {"spec.schedulingConstraints"};
  see_gang(own, 2);
  mirror_.settle(now_);
  EXPECT_TRUE(session({}).statuses.empty());
  Plan plan;
  plan.refusals = {refusal_of(mirror_, "own", Reason::gang_incomplete, 1, 2)};
  auto written = session(plan);
  ASSERT_EQ(written.statuses.size(), 1u);
  EXPECT_FALSE(written.statuses[0].is_scheduled);
  EXPECT_EQ(written.statuses[0].reason, "Unschedulable");
  EXPECT_EQ(written.statuses[0].waits_since, now_);
  EXPECT_NE(written.statuses[0].message.find("1 of 2 members could be placed; "
                                             "spec.schedulingConstraints is not honoured"),
            std::string::npos)
      << written.statuses[0].message;
  ASSERT_EQ(written.events.size(), 1u);
  EXPECT_EQ(written.events[0].object.kind, ports::ObjectKind::kube_pod_group);

  own.written.reason = "Unschedulable";
  own.written.message = written.statuses[0].message;
  own.written.waits_since = now_;
  see(own);
  now_ += std::chrono::seconds(60);
  EXPECT_TRUE(session({}).statuses.empty()) << "it is planned, and not bound yet";
  for (int i = 0; i < 2; ++i) mirror_.apply(running_on(make_member("own", i), "n1"));
  mirror_.settle(now_);
  written = session({});
  ASSERT_EQ(written.statuses.size(), 1u);
  EXPECT_TRUE(written.statuses[0].is_scheduled);
  EXPECT_EQ(written.statuses[0].reason, "");
  EXPECT_EQ(written.statuses[0].scheduled_since, now_);
  own.written = {};
  own.written.is_scheduled = true;
  own.written.scheduled_since = now_;
  see(own);
  mirror_.apply(PodDeleted{make_member("own", 0).uid});
  mirror_.settle(now_);
  EXPECT_TRUE(session({}).statuses.empty()) << "as kube-scheduler leaves it";
}

TEST_F(GroupStatusTest, STATUS1ATargetsConditionIsWrittenAtOnceAndItsNumbersAtTimes) {
  now_ += std::chrono::hours(1);
  Plan plan;
  Reservation& reservation = plan.reservations.emplace_back();
  reservation.job = mirror_.find_group("ml/g");
  reservation.election = {now_, "waits longest"};
  auto written = session(plan);
  ASSERT_EQ(written.statuses.size(), 1u);
  EXPECT_TRUE(written.statuses[0].targeted.holds);
  EXPECT_EQ(written.statuses[0].targeted.reason, "Elected");
  EXPECT_EQ(written.statuses[0].targeted.since, now_);
  EXPECT_EQ(written.marks.size(), 0u) << "the mirror was not written";

  reservation.nodes = {NodeId(0)};
  const TimePoint elected_at = now_;
  now_ += std::chrono::seconds(1);
  written = session(plan);
  ASSERT_EQ(written.statuses.size(), 1u);
  EXPECT_EQ(written.statuses[0].targeted.reason, "Locked");
  EXPECT_EQ(written.statuses[0].targeted.since, elected_at) << "True since then";

  reservation.missing = {{Dimension(0), 1, 2}};
  EXPECT_TRUE(session(plan).statuses.empty());
  now_ += std::chrono::seconds(10);
  EXPECT_EQ(session(plan).statuses.size(), 1u);

  plan.reservations.clear();
  plan.ended.emplace_back();
  plan.ended[0].job = mirror_.find_group("ml/g");
  written = session(plan);
  ASSERT_EQ(written.statuses.size(), 1u);
  EXPECT_FALSE(written.statuses[0].targeted.holds);
  EXPECT_EQ(written.statuses[0].targeted.reason, "Started");
  EXPECT_EQ(written.statuses[0].targeted.since, now_);
}

TEST_F(GroupStatusTest, ARestartKeepsTheConditionOfATarget) {
  PodGroupObject group = make_group("other", 3);
  group.written.targeted = {true, "Locked", "n1", now_};
  see_gang(group, 3);
  mirror_.settle(now_);
  now_ += std::chrono::hours(1);
  Plan plan;
  plan.refusals = {refusal_of(mirror_, "other", Reason::gang_incomplete, 1, 3)};
  const auto written = session(plan);
  const auto of_other =
      std::find_if(written.statuses.begin(), written.statuses.end(),
                   [](const auto& status) { return status.object.name == "other"; });
  ASSERT_NE(of_other, written.statuses.end());
  EXPECT_EQ(of_other->targeted, group.written.targeted);
}

}  // namespace
}  // namespace berth::reconcile
