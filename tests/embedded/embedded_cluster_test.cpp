#include "embedded/embedded_cluster.h"

#include <gtest/gtest.h>

#include <future>

#include "embedded/waiting.h"

namespace berth::embedded {
namespace {

using std::chrono::seconds;

class EmbeddedClusterTest : public ::testing::Test {
 protected:
  EmbeddedClusterTest() {
    cluster.apply({make_node("n1"), make_node("n2")});
    cluster.watch(sink);
  }
  ~EmbeddedClusterTest() override { cluster.unwatch(sink); }

  ports::BindOutcome bind(const std::string& pod, const std::string& node,
                          const std::string& uid = "") {
    std::promise<ports::BindOutcome> outcome;
    cluster.bind({"default", pod, uid.empty() ? "uid-" + pod : uid, node},
                 [&](ports::BindOutcome result) { outcome.set_value(std::move(result)); });
    return outcome.get_future().get();
  }
  PodObject pod(const std::string& name) { return cluster.pod("default/" + name).value(); }
  void write(ports::ObjectRef object, ports::Content content) {
    cluster.write({std::move(object), std::move(content)}, [](const ports::WriteOutcome&) {});
  }
  static ports::ObjectRef group_ref(const std::string& name, const std::string& uid) {
    return {ports::ObjectKind::pod_group, "default", name, uid};
  }
  static ports::ObjectRef node_ref(const std::string& name, const std::string& uid) {
    return {ports::ObjectKind::node, "", name, uid};
  }
  static ports::GroupStatus status_with(GroupPhase phase) {
    ports::GroupStatus status;
    status.phase = phase;
    return status;
  }

  // A second of test is 1,000 of the cluster's.
  ScaledClock clock{test_start(), 1'000};
  EmbeddedCluster cluster{clock, seconds(1)};
  RecordingSink sink;
};

TEST_F(EmbeddedClusterTest, PostsAllObjectsThenEveryChangeInOrder) {
  RecordingSink late;
  EXPECT_FALSE(cluster.is_synced());
  ASSERT_TRUE(cluster.start(late));
  ASSERT_TRUE(late.wait([](const auto& events) { return events.size() == 2; }));
  for (int i = 0; i < 50; ++i) cluster.apply({make_pod("p" + std::to_string(i))});
  ASSERT_TRUE(late.wait([](const auto& events) { return events.size() == 52; }));
  EXPECT_TRUE(cluster.is_synced());
  for (std::size_t i = 0; i < 50; ++i) {
    EXPECT_EQ(std::get<PodObject>(late.events()[i + 2]).name, "p" + std::to_string(i));
  }
  EXPECT_FALSE(cluster.start(sink)) << "started twice";
  cluster.stop();
  const std::size_t posted = late.events().size();
  cluster.apply({make_pod("later")});
  ASSERT_TRUE(sink.wait_for_pod("later", [](const PodObject&) { return true; }));
  EXPECT_EQ(late.events().size(), posted);
  EXPECT_FALSE(cluster.is_synced());
}

TEST_F(EmbeddedClusterTest, ABoundPodRunsAtOnceAndItsNominationIsOver) {
  cluster.apply({make_pod("p")});
  nominate(cluster, "uid-p", "n2");
  EXPECT_EQ(pod("p").nominated_node, "n2");
  EXPECT_TRUE(bind("p", "n1").bound);
  ASSERT_TRUE(sink.wait_for_bound("p"));
  EXPECT_EQ(pod("p").node_name, "n1");
  EXPECT_EQ(pod("p").phase, PodPhase::running);
  EXPECT_TRUE(pod("p").started.has_value());
  EXPECT_EQ(pod("p").nominated_node, "");
}

TEST_F(EmbeddedClusterTest, AUTOSCALE2APodThatWaitsShowsItsCondition) {
  cluster.apply({make_pod("p")});
  const auto write = [this](const std::string& reason) {
    cluster.write({{.uid = "uid-p"}, ports::PodCondition{{false, reason, "why", {}}}},
                  [](const ports::WriteOutcome&) {});
  };
  write("Unschedulable");
  EXPECT_EQ(pod("p").not_scheduled, "Unschedulable");
  EXPECT_EQ(pod("p").unschedulable, "why");
  write("Waiting");
  EXPECT_EQ(pod("p").not_scheduled, "Waiting");
  EXPECT_EQ(pod("p").unschedulable, "");
}

TEST_F(EmbeddedClusterTest, ACommitTakesTheGateOffAndPutsThePlanOn) {
  PodObject gated = make_pod("p");
  gated.gates = {"berth.dev/plan"};
  cluster.apply({gated});
  ports::PodWrite write;
  write.kind = ports::PodWrite::Kind::commit;
  write.node = "n2";
  ports::WriteOutcome outcome{ports::WriteOutcome::Result::failed, ""};
  cluster.write({{.uid = "uid-p"}, write},
                [&](ports::WriteOutcome is) { outcome = std::move(is); });
  EXPECT_EQ(outcome.result, ports::WriteOutcome::Result::done);
  EXPECT_TRUE(pod("p").gates.empty());
  EXPECT_EQ(pod("p").planned_node, "n2");
}

TEST_F(EmbeddedClusterTest, AWriteOnAPodThatIsGoneSaysSo) {
  ports::WriteOutcome outcome;
  cluster.write({{.uid = "uid-nobody"}, ports::PodWrite()},
                [&](ports::WriteOutcome is) { outcome = std::move(is); });
  EXPECT_EQ(outcome.result, ports::WriteOutcome::Result::gone);
}

TEST_F(EmbeddedClusterTest, BindingAgainToTheSameNodeSucceedsAndElsewhereDoesNot) {
  cluster.apply({make_pod("p")});
  ASSERT_TRUE(bind("p", "n1").bound);
  EXPECT_TRUE(bind("p", "n1").bound);
  const ports::BindOutcome elsewhere = bind("p", "n2");
  EXPECT_FALSE(elsewhere.bound);
  EXPECT_EQ(elsewhere.error, "pod \"default/p\" is already assigned to node \"n1\"");
}

TEST_F(EmbeddedClusterTest, BindingIsRefusedForWhatAnApiServerRefuses) {
  PodObject gated = make_pod("gated");
  gated.gates = {"berth.dev/plan"};
  cluster.apply({make_pod("p"), gated});
  EXPECT_EQ(bind("none", "n1").error, "pod \"default/none\" not found");
  EXPECT_EQ(bind("p", "n1", "uid-old").error,
            "pod \"default/p\" has uid \"uid-p\", the binding names \"uid-old\"");
  EXPECT_EQ(bind("p", "n9").error, "node \"n9\" not found");
  EXPECT_EQ(bind("gated", "n1").error,
            "pod \"default/gated\" has scheduling gate \"berth.dev/plan\"");
  EXPECT_TRUE(pod("p").node_name.empty());
}

TEST_F(EmbeddedClusterTest, APodWithARunTimeSucceedsThatLongAfterItsStart) {
  PodObject brief = make_pod("brief");
  brief.run_time = seconds(90);
  cluster.apply({brief, make_pod("endless")});
  ASSERT_TRUE(bind("brief", "n1").bound);
  ASSERT_TRUE(bind("endless", "n1").bound);
  ASSERT_TRUE(sink.wait_for_pod(
      "brief", [](const PodObject& seen) { return seen.phase == PodPhase::succeeded; }));
  EXPECT_GE(clock.now(), *pod("brief").started + seconds(90));
  EXPECT_EQ(pod("endless").phase, PodPhase::running);
}

TEST_F(EmbeddedClusterTest, APodThatWasStartedLongAgoEndsAtOnce) {
  PodObject old = make_pod("old");
  old.node_name = "n1";
  old.phase = PodPhase::running;
  old.started = test_start() - std::chrono::hours(1);
  old.run_time = seconds(90);
  cluster.apply({old});
  EXPECT_TRUE(sink.wait_for_pod(
      "old", [](const PodObject& seen) { return seen.phase == PodPhase::succeeded; }));
}

TEST_F(EmbeddedClusterTest, AnEvictedPodIsTerminatingForAWhileAndThenGone) {
  cluster.apply({make_pod("p")});
  ASSERT_TRUE(bind("p", "n1").bound);
  write({.uid = "uid-another"}, ports::Eviction{"preempted"});
  EXPECT_FALSE(pod("p").terminating);
  write({.uid = "uid-p"}, ports::Eviction{"preempted"});
  ASSERT_TRUE(sink.wait_for_deletion("uid-p"));
  const auto events = sink.events();
  EXPECT_TRUE(std::get<PodObject>(events[events.size() - 2]).terminating);
  EXPECT_FALSE(cluster.pod("default/p").has_value());
}

TEST_F(EmbeddedClusterTest, ABudgetRefusesEvictionsAsTheApiServerDoes) {
  BudgetObject budget;
  budget.name_space = "default";
  budget.name = "web";
  budget.selector.emplace();
  budget.selector->push_back({"app", Operator::in, {"web"}});
  budget.allowed = 1;
  std::vector<ClusterEvent> objects{budget};
  for (const char* name : {"p", "q"}) {
    PodObject web = make_pod(name);
    web.labels = {{"app", "web"}};
    objects.emplace_back(web);
  }
  objects.emplace_back(make_pod("r"));
  cluster.apply(objects);
  const auto evict = [&](const std::string& name) {
    EXPECT_TRUE(bind(name, "n1").bound);
    ports::WriteOutcome outcome;
    const ports::ObjectRef pod{ports::ObjectKind::pod, "default", name, "uid-" + name};
    cluster.write({pod, ports::Eviction{"why"}}, [&](auto made) { outcome = std::move(made); });
    return outcome;
  };
  using Outcome = ports::WriteOutcome::Result;
  EXPECT_EQ(evict("p").result, Outcome::done);
  const ports::WriteOutcome refused = evict("q");
  EXPECT_EQ(refused.result, Outcome::refused);
  EXPECT_NE(refused.error.find("The disruption budget web"), std::string::npos) << refused.error;
  EXPECT_FALSE(pod("q").terminating);
  EXPECT_EQ(evict("r").result, Outcome::done) << "no budget selects it";
  ASSERT_TRUE(sink.wait_for_deletion("uid-r"));
  const auto events = sink.events();
  EXPECT_TRUE(std::any_of(events.begin(), events.end(), [](const ClusterEvent& event) {
    const auto* counted = std::get_if<BudgetObject>(&event);
    return counted != nullptr && counted->allowed == 0 && counted->counts("p");
  }));
  BudgetObject second = budget;
  second.name = "second";
  second.allowed = 9;
  cluster.apply({second});
  EXPECT_NE(evict("q").error.find("more than one"), std::string::npos);
}

TEST_F(EmbeddedClusterTest, PodsLeaveWithTheirNode) {
  cluster.apply({make_pod("p"), make_pod("q")});
  ASSERT_TRUE(bind("p", "n1").bound);
  ASSERT_TRUE(bind("q", "n2").bound);
  cluster.apply({NodeDeleted{"n1"}});
  EXPECT_FALSE(cluster.pod("default/p").has_value());
  EXPECT_TRUE(cluster.pod("default/q").has_value());
}

TEST_F(EmbeddedClusterTest, WhatTheClusterDecidedOfAPodSurvivesANewManifest) {
  cluster.apply({make_pod("p")});
  ASSERT_TRUE(bind("p", "n1").bound);
  PodObject changed = make_pod("p");
  changed.request["cpu"] = 500;
  const TimePoint created = pod("p").created;
  cluster.apply({changed});
  EXPECT_EQ(pod("p").node_name, "n1");
  EXPECT_EQ(pod("p").phase, PodPhase::running);
  EXPECT_EQ(pod("p").created, created);
  EXPECT_EQ(pod("p").request.at("cpu"), 500);
}

TEST_F(EmbeddedClusterTest, AdmissionGivesPriorityAndCreationTime) {
  PriorityClassObject high{"high", 1'000, false, true};
  PriorityClassObject usual{"usual", 10, true, false};
  PodObject of_class = make_pod("of-class");
  of_class.priority_class = "high";
  PodObject system = make_pod("system");
  system.priority_class = "system-node-critical";
  PodObject fixed = make_pod("fixed");
  fixed.priority = 7;
  cluster.apply({of_class, system, fixed, make_pod("plain"), high, usual});
  EXPECT_EQ(pod("of-class").priority, 1'000);
  EXPECT_TRUE(pod("of-class").never_preempts);
  EXPECT_EQ(pod("system").priority, 2'000'001'000);
  EXPECT_EQ(pod("fixed").priority, 7);
  EXPECT_EQ(pod("plain").priority, 10);
  EXPECT_GE(pod("plain").created, test_start());
}

TEST_F(EmbeddedClusterTest, AGroupsStatusIsKeptAndShown) {
  PodGroupObject group;
  group.name_space = "default";
  group.name = "g";
  group.uid = "uid-g";
  cluster.apply({group});
  write(group_ref("g", "uid-g"), status_with(GroupPhase::inqueue));
  write(group_ref("none", "uid-g"), status_with(GroupPhase::running));
  ASSERT_TRUE(sink.wait([](const auto& events) {
    if (events.empty()) return false;
    const auto* const posted = std::get_if<PodGroupObject>(&events.back());
    return posted != nullptr && posted->phase == GroupPhase::inqueue;
  }));
  cluster.apply({group});
  EXPECT_EQ(cluster.group_status("default/g")->phase, GroupPhase::inqueue);
  EXPECT_FALSE(cluster.group_status("default/none").has_value());
}

TEST(ScaledClockTest, RunsFasterThanTheSteadyClockAndKnowsWhenToWake) {
  const ScaledClock clock(test_start(), 3'600);
  const TimePoint hour = test_start() + std::chrono::hours(1);
  EXPECT_LE(clock.steady(hour), std::chrono::steady_clock::now() + seconds(1));
  std::mutex mutex;
  std::condition_variable never;
  std::unique_lock lock(mutex);
  never.wait_until(lock, clock.steady(test_start() + seconds(60)), [] { return false; });
  EXPECT_GE(clock.now(), test_start() + seconds(60));
  EXPECT_LT(clock.steady(TimePoint::max()),
            std::chrono::steady_clock::now() + std::chrono::hours(25));
}

TEST_F(EmbeddedClusterTest, KeepsLocksAndMarksWhenUsersChangeTheirObjects) {
  write(node_ref("n1", "other"), ports::NodeLock{"job.g", test_start(), true});
  EXPECT_EQ(cluster.node("n1")->locked_for, "") << "that node is gone";
  const std::string uid = cluster.node("n1")->uid;
  write(node_ref("n1", uid), ports::NodeLock{"job.g", test_start(), true});
  cluster.apply({make_node("n1")});
  EXPECT_EQ(cluster.node("n1")->locked_for, "job.g");
  EXPECT_EQ(cluster.node("n1")->locked_since, test_start());
  EXPECT_TRUE(cluster.node("n1")->has_lock_taint);
  write(node_ref("n1", uid), ports::NodeLock{"", {}, false, "q", test_start(), true});
  EXPECT_EQ(cluster.node("n1")->locked_since, std::nullopt);
  cluster.apply({make_node("n1")});
  EXPECT_EQ(cluster.node("n1")->locked_for_queue, "q");
  EXPECT_EQ(cluster.node("n1")->locked_for_queue_since, test_start());
  EXPECT_TRUE(cluster.node("n1")->has_queue_lock_taint);
  write(node_ref("n1", uid), ports::NodeLock());
  EXPECT_EQ(cluster.node("n1")->locked_for_queue, "");
  EXPECT_EQ(cluster.node("n1")->locked_for_queue_since, std::nullopt);

  PodGroupObject group;
  group.name_space = "default";
  group.name = group.uid = "g";
  group.marks.is_named = true;
  cluster.apply({group});
  TargetMarks marks;
  marks.elected_at = marks.first_seen = test_start();
  write(group_ref("g", "g"), marks);
  EXPECT_TRUE(cluster.group("default/g")->marks.is_named) << "a user's word";
  group.marks.is_named = false;
  cluster.apply({group});
  EXPECT_FALSE(cluster.group("default/g")->marks.is_named);
  EXPECT_EQ(cluster.group("default/g")->marks.elected_at, test_start());
  EXPECT_FALSE(cluster.group("default/g")->marks.is_elected) << "it was elected by name";
  marks.is_elected = true;
  write(group_ref("g", "g"), marks);
  EXPECT_TRUE(cluster.group("default/g")->marks.is_elected);
  marks = {};
  write(group_ref("g", "g"), marks);
  EXPECT_FALSE(cluster.group("default/g")->marks.is_elected);
  EXPECT_EQ(cluster.group("default/g")->marks.elected_at, std::nullopt);
  EXPECT_EQ(cluster.group("default/g")->marks.first_seen, test_start());
}

}  // namespace
}  // namespace berth::embedded
