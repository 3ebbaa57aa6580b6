#include "reconcile/pod_events.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "reconcile/reconcile_fixture.h"

namespace berth::reconcile {
namespace {

using std::chrono::minutes;
using std::chrono::seconds;

class PodEventsTest : public ReconcileTest {
 protected:
  void SetUp() override { see(make_node("n1", 4)); }

  Plan waits(const std::string& group, Reason reason = Reason::gang_incomplete,
             std::int64_t have = 1) {
    mirror_.settle(now_);
    Plan plan;
    plan.refusals = {refusal_of(mirror_, group, reason, have, 2)};
    plan.order = {plan.refusals[0].job};
    return plan;
  }
  using Events = std::vector<support::On<ports::Event>>;
  static Events on_pods(const RecordingWriter::Written& written) {
    Events events;
    std::copy_if(written.events.begin(), written.events.end(), std::back_inserter(events),
                 [](const auto& each) { return each.object.kind == ports::ObjectKind::pod; });
    return events;
  }
};

TEST_F(PodEventsTest, EVENT6EachPodOfAGangSaysWhyItWaits) {
  see_gang(make_group("g", 8), 8);
  now_ += seconds(20);  // no longer young
  EXPECT_TRUE(on_pods(session(waits("g"))).empty());
  EXPECT_TRUE(on_pods(session_after(seconds(4), waits("g"))).empty()) << "it may be placed soon";
  const auto events = on_pods(session_after(seconds(1), waits("g")));
  ASSERT_EQ(events.size(), 8U);
  for (std::size_t i = 0; i < 8; ++i) {
    EXPECT_EQ(events[i].object.name, "g-" + std::to_string(i));
    EXPECT_TRUE(events[i].is_warning);
    EXPECT_EQ(events[i].reason, "Unschedulable");
    EXPECT_EQ(events[i].message,
              "its job ml/g waits: " + sentence(Reason::gang_incomplete, 1, 2, "") +
                  "; it is 1st of 1 in queue default");
  }
  EXPECT_TRUE(on_pods(session_after(minutes(5), waits("g"))).empty()) << "once";
}

TEST_F(PodEventsTest, EVENT6ALargeGangHasThemOnItsFirstPodsThatWait) {
  see_gang(make_group("g", 2), 1000);
  for (int i = 0; i < 3; ++i) see(running_on(make_member("g", i), "n1"));
  session(waits("g", Reason::surplus_waits));
  const auto events = on_pods(session_after(seconds(5), waits("g", Reason::surplus_waits)));
  ASSERT_EQ(events.size(), 16U);
  EXPECT_EQ(events[0].object.name, "g-3");
  EXPECT_EQ(events[15].object.name, "g-18");
}

TEST_F(PodEventsTest, EVENT6AmountsThatChangeAreNoNews) {
  see_gang(make_group("g", 2), 2);
  session(waits("g"));
  EXPECT_EQ(on_pods(session_after(seconds(5), waits("g"))).size(), 2U);
  EXPECT_TRUE(on_pods(session_after(minutes(2), waits("g", Reason::gang_incomplete, 0))).empty());
}

TEST_F(PodEventsTest, EVENT6AnotherReasonIsNewsAMinuteLater) {
  see_gang(make_group("g", 2), 2);
  session(waits("g"));
  EXPECT_EQ(on_pods(session_after(seconds(5), waits("g"))).size(), 2U);
  const auto other = [&] { return waits("g", Reason::too_few_tasks); };
  EXPECT_TRUE(on_pods(session_after(seconds(10), other())).empty());
  EXPECT_TRUE(on_pods(session_after(seconds(49), other())).empty());
  const auto events = on_pods(session_after(seconds(1), other()));
  ASSERT_EQ(events.size(), 2U);
  EXPECT_NE(events[0].message.find(sentence(Reason::too_few_tasks, 1, 2, "")), std::string::npos);
}

TEST_F(PodEventsTest, EVENT6AJobThatStartsSoonHasNone) {
  see_gang(make_group("g", 2), 2);
  session(waits("g"));
  const Plan plan = assume(mirror_, {{"g-0", "n1"}, {"g-1", "n1"}});
  EXPECT_TRUE(on_pods(session_after(seconds(2), plan)).empty());
  EXPECT_TRUE(on_pods(session_after(minutes(1))).empty());
}

TEST_F(PodEventsTest, EVENT7TheyAreRepeatedBeforeTheServerForgetsThem) {
  see_gang(make_group("g", 2), 2);
  session(waits("g"));
  EXPECT_EQ(on_pods(session_after(seconds(5), waits("g"))).size(), 2U);
  EXPECT_TRUE(on_pods(session_after(minutes(44), waits("g"))).empty());
  EXPECT_EQ(on_pods(session_after(minutes(1), waits("g"))).size(), 2U);
}

TEST_F(PodEventsTest, EVENT7AfterARestartTheyAreNotPublishedAtOnce) {
  see_gang(make_group("g", 2), 2);
  const auto written = session(waits("g"));
  ASSERT_EQ(written.statuses.size(), 1U);
  session_after(seconds(5), waits("g"));
  start();
  PodGroupObject group = make_group("g", 2);
  group.written.reason = written.statuses[0].reason;
  group.written.message = written.statuses[0].message;
  group.written.waiting = written.statuses[0].waiting;
  group.written.waits_since = written.statuses[0].waits_since;
  see(group);
  session_after(seconds(1), waits("g"));
  EXPECT_TRUE(on_pods(session_after(minutes(2), waits("g"))).empty());
  EXPECT_EQ(on_pods(session_after(minutes(45), waits("g"))).size(), 2U);
}

TEST_F(PodEventsTest, EVENT7AllJobsShareTenASecond) {
  Plan plan;
  for (int i = 0; i < 40; ++i) {
    const std::string name = "g" + std::to_string(i);
    see_gang(make_group(name, 2), 4);
    mirror_.settle(now_);
    plan.refusals.push_back(refusal_of(mirror_, name, Reason::gang_incomplete, 1, 2));
  }
  session(plan);
  std::size_t total = on_pods(session_after(seconds(5), plan)).size();
  EXPECT_LE(total, 12U) << "the last job may go beyond the ten";
  for (int second = 0; second < 9; ++second) {
    total += on_pods(session_after(seconds(1), plan)).size();
  }
  EXPECT_GE(total, 100U);
  EXPECT_LE(total, 103U);
  for (int second = 0; second < 10; ++second) {
    total += on_pods(session_after(seconds(1), plan)).size();
  }
  EXPECT_EQ(total, 160U);
}

TEST_F(PodEventsTest, EVENT6APodInNoGroupSaysItsOwn) {
  PodObject pod = make_member("x", 1);
  pod.group.clear();
  see(pod);
  mirror_.settle(now_);
  Plan plan;
  plan.refusals.resize(1);
  plan.refusals[0].job = mirror_.cluster().task(mirror_.find_task("x-1")).job;
  plan.refusals[0].reason = Reason::gang_incomplete;
  plan.order = {plan.refusals[0].job};
  session(plan);
  const auto events = on_pods(session_after(seconds(5), plan));
  ASSERT_EQ(events.size(), 1U);
  EXPECT_EQ(events[0].object.name, "x-1");
  EXPECT_EQ(events[0].message,
            sentence(Reason::gang_incomplete, 0, 0, "") + "; it is 1st of 1 in queue default");
}

TEST_F(PodEventsTest, EVENT6PodsOfAGroupThatIsMissingSayIt) {
  for (int i = 0; i < 2; ++i) see(make_member("ghost", i));
  mirror_.settle(now_);
  Plan plan;
  plan.refusals.resize(1);
  plan.refusals[0].job = mirror_.cluster().task(mirror_.find_task("ghost-0")).job;
  plan.refusals[0].reason = Reason::group_missing;
  session(plan);
  const auto events = on_pods(session_after(seconds(5), plan));
  ASSERT_EQ(events.size(), 2U);
  EXPECT_EQ(events[1].object.name, "ghost-1");
  EXPECT_EQ(events[1].message,
            "its job ml/ghost waits: " + sentence(Reason::group_missing, 0, 0, ""));
  // Once the group is there, its pods say why they wait now.
  see(make_group("ghost", 2));
  const auto next = on_pods(session_after(minutes(1), waits("ghost")));
  EXPECT_TRUE(next.empty());
  EXPECT_EQ(on_pods(session_after(seconds(5), waits("ghost"))).size(), 2U);
}

TEST_F(PodEventsTest, ADeletedJobHasNone) {
  see_gang(make_group("g", 2), 2);
  session(waits("g"));
  for (int i = 0; i < 2; ++i) see(PodDeleted{"g-" + std::to_string(i)});
  see(PodGroupDeleted{"ml/g"});
  EXPECT_TRUE(on_pods(session_after(seconds(5))).empty());
}

}  // namespace
}  // namespace berth::reconcile
