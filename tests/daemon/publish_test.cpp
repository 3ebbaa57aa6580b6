#include "daemon/publish.h"

#include <gtest/gtest.h>

#include "daemon/guard_keeper.h"
#include "daemon/objects.h"

namespace berth::daemon {
namespace {

class PublishTest : public testing::Test {
 protected:
  void SetUp() override {
    for (const char* node : {"n1", "n2", "n3"}) mirror_.apply(make_node(node, 4));
  }
  std::shared_ptr<const ports::PlanTable> table(std::int32_t scheduled_events = 16) {
    mirror_.settle(TimePoint());
    PlanTableOptions options{{"berth"}, 7};
    options.scheduled_events = scheduled_events;
    return make_plan_table(mirror_.cluster(), options);
  }
  void run(const std::string& pod, const std::string& node) {
    const std::size_t dash = pod.rfind('-');
    const int index = std::stoi(pod.substr(dash + 1));
    mirror_.apply(running_on(make_member(pod.substr(0, dash), index), node));
  }
  std::int64_t room(const ports::PlanTable& table, const std::string& node,
                    const std::string& resource) {
    const auto& left = table.room_left;
    for (std::size_t column = 0; column < left.resources.size(); ++column) {
      if (left.resources[column] != resource) continue;
      return left.amounts[left.rows.at(node) * left.resources.size() + column];
    }
    ADD_FAILURE() << "no column " << resource;
    return -1;
  }

  mirror::Mirror mirror_;
};

TEST_F(PublishTest, WithoutPlansItIsReadyAndEmpty) {
  const auto empty = table();
  EXPECT_TRUE(empty->ready);
  EXPECT_EQ(empty->epoch, 7u);
  EXPECT_EQ(empty->managed_schedulers, std::vector<std::string>{"berth"});
  EXPECT_TRUE(empty->pods.empty());
  EXPECT_TRUE(empty->room_left.rows.empty());
}

TEST_F(PublishTest, VIEW20TheFirstPodsOfAGangHaveTheEventScheduled) {
  add_gang(mirror_, make_group("g", 3), 3);
  assume(mirror_, {{"g-0", "n1"}, {"g-1", "n1"}, {"g-2", "n2"}});
  const auto quiet = [&](std::int32_t events) {
    std::string names;
    const auto plan = table(events);
    for (const char* pod : {"g-0", "g-1", "g-2"}) {
      if (plan->find(pod)->is_quiet) names += pod;
    }
    return names;
  };
  EXPECT_EQ(quiet(16), "");
  EXPECT_EQ(quiet(2), "g-2");
  EXPECT_EQ(quiet(0), "g-0g-1g-2");
}

TEST_F(PublishTest, VIEW20AndSoHasAPodWithoutAGang) {
  PodObject pod = make_member("lone", 0);
  pod.group.clear();
  mirror_.apply(pod);
  assume(mirror_, {{"lone-0", "n1"}});
  EXPECT_FALSE(table(0)->find("lone-0")->is_quiet);
}

TEST_F(PublishTest, NamesTheNodeAndTheGangOfEachPlannedPod) {
  add_gang(mirror_, make_group("g", 3), 3);
  assume(mirror_, {{"g-0", "n1"}, {"g-1", "n1"}, {"g-2", "n2"}});
  const auto plan = table();
  ASSERT_EQ(plan->pods.size(), 3u);
  const ports::PlannedPod* pod = plan->find("g-2");
  ASSERT_NE(pod, nullptr);
  EXPECT_EQ(pod->full_name, "ml/g-2");
  EXPECT_EQ(pod->node, "n2");
  EXPECT_FALSE(pod->is_hint);
  EXPECT_EQ(pod->gang->job, "ml/g");
  EXPECT_EQ(pod->gang->min_member, 3);
  EXPECT_EQ(pod->gang->bound, 0);
  EXPECT_EQ(plan->find("g-0")->gang, pod->gang) << "one value for the whole gang";
}

TEST_F(PublishTest, MembersSeenBoundAreCountedAndNoLongerPlanned) {
  add_gang(mirror_, make_group("g", 2), 4);
  assume(mirror_, {{"g-0", "n1"}, {"g-1", "n1"}, {"g-2", "n2"}, {"g-3", "n2"}});
  run("g-0", "n1");
  run("g-1", "n1");
  auto done = running_on(make_member("g", 0), "n1");
  done.phase = PodPhase::succeeded;
  mirror_.apply(done);
  const auto plan = table();
  EXPECT_EQ(plan->pods.size(), 2u);
  EXPECT_EQ(plan->find("g-0"), nullptr);
  EXPECT_EQ(plan->find("g-3")->gang->bound, 2) << "one runs, one has done its work";
  EXPECT_EQ(plan->find("g-3")->gang->min_member, 2);
}

TEST_F(PublishTest, NamesLockedNodesAndTheirJobs) {
  add_gang(mirror_, make_group("g", 3), 3);
  mirror_.settle(TimePoint());
  Plan plan;
  plan.reservations.emplace_back();
  plan.reservations[0].job = mirror_.find_group("ml/g");
  plan.reservations[0].nodes = {mirror_.cluster().find_node("n2")};
  mirror_.assume_reservations(plan, TimePoint());
  const auto locked = table();
  EXPECT_EQ(locked->locks.size(), 1u);
  EXPECT_EQ(locked->locks.at("n2"), "ml/g");
  mirror_.assume_reservations({}, TimePoint());
  EXPECT_TRUE(table()->locks.empty());
}

TEST_F(PublishTest, NamesNodesOfQueuesAndWhoseGangsMayUseThem) {
  for (const auto& [name, parent] : {std::pair("above", ""), std::pair("below", "above")}) {
    QueueObject queue;
    queue.name = queue.uid = name;
    queue.parent = parent;
    mirror_.apply(queue);
  }
  PodGroupObject group = make_group("g", 1);
  group.queue = "below";
  add_gang(mirror_, group, 1);
  add_gang(mirror_, make_group("other", 1), 1);
  mirror_.settle(TimePoint());
  const Cluster& cluster = mirror_.cluster();
  Plan plan;
  const QueueId below = cluster.job(mirror_.find_group("ml/g")).queue;
  plan.queue_nodes = {{cluster.queue(below).above, {cluster.find_node("n2")}, {}}};
  mirror_.assume_reservations(plan, TimePoint());
  assume(mirror_, {{"g-0", "n2"}, {"other-0", "n1"}});
  const auto locked = table();
  EXPECT_TRUE(locked->locks.empty());
  EXPECT_EQ(locked->queue_nodes.size(), 1u);
  EXPECT_EQ(locked->queue_nodes.at("n2"), "above");
  EXPECT_EQ(locked->find("g-0")->gang->queues, std::vector<std::string>{"above"});
  EXPECT_TRUE(locked->find("other-0")->gang->queues.empty());
  mirror_.assume_reservations({}, TimePoint());
  EXPECT_TRUE(table()->queue_nodes.empty());
}

// Any three of a master and four workers is not what roles ask for.
class PublishRoles : public PublishTest {
 protected:
  void SetUp() override {
    PublishTest::SetUp();
    PodGroupObject group = make_group("g", 3);
    group.min_task_member = {{"master", 1}, {"worker", 2}};
    mirror_.apply(group);
    for (int i = 0; i < 4; ++i) {
      PodObject pod = make_member("g", i);
      pod.role = i == 0 ? "master" : "worker";
      mirror_.apply(pod);
    }
    assume(mirror_, {{"g-0", "n1"}, {"g-1", "n1"}, {"g-2", "n2"}, {"g-3", "n2"}});
  }
};

TEST_F(PublishRoles, AllThatArePlannedMustCome) {
  EXPECT_EQ(table()->find("g-0")->gang->min_member, 4);
}

TEST_F(PublishRoles, TheMinimumIsEnoughOnceItIsBound) {
  for (int i = 0; i < 3; ++i) {
    PodObject pod = running_on(make_member("g", i), i < 2 ? "n1" : "n2");
    pod.role = i == 0 ? "master" : "worker";
    mirror_.apply(pod);
  }
  EXPECT_EQ(table()->find("g-3")->gang->min_member, 3);
}

TEST_F(PublishRoles, WhatIsLeftOfAPlanIsNotEnough) {
  mirror_.apply(PlacementDropped{"g-3", "n2", "vetoed"});
  EXPECT_EQ(table()->find("g-0")->gang->min_member, 3);
  mirror_.apply(PlacementDropped{"g-2", "n2", "vetoed"});
  EXPECT_EQ(table()->find("g-0")->gang->min_member, 3) << "two are not a gang of three";
}

TEST_F(PublishTest, RoomIsWhatIsLeftOncePlannedPodsHaveCome) {
  add_gang(mirror_, make_group("g", 2), 2);
  PodObject foreign = running_on(make_member("", 9), "n2");
  foreign.group.clear();
  foreign.scheduler_name = "default-scheduler";
  mirror_.apply(foreign);
  assume(mirror_, {{"g-0", "n1"}, {"g-1", "n2"}});
  const auto plan = table();
  EXPECT_EQ(plan->room_left.rows.size(), 2u) << "of nodes with planned room only";
  EXPECT_FALSE(plan->room_left.rows.contains("n3"));
  EXPECT_EQ(room(*plan, "n1", "cpu"), 3000);
  EXPECT_EQ(room(*plan, "n2", "cpu"), 2000);
  EXPECT_EQ(room(*plan, "n2", "pods"), 108);
}

TEST_F(PublishTest, CLAIM9ClaimedRoomIsNotLeftEither) {
  add_gang(mirror_, make_group("g", 2), 2);
  mirror_.settle(TimePoint());
  Plan claims;
  claims.pipelined = plan_of(mirror_, {{"g-0", "n1"}, {"g-1", "n1"}}).binds;
  mirror_.assume(claims, TimePoint());
  const auto plan = make_plan_table(mirror_.cluster(), {{"berth"}, 7});
  EXPECT_TRUE(plan->pods.empty()) << "nobody is planned there";
  EXPECT_EQ(plan->room_left.rows.size(), 1u);
  EXPECT_EQ(room(*plan, "n1", "cpu"), 2000);
  EXPECT_EQ(room(*plan, "n1", "pods"), 108);
  EXPECT_EQ(plan->claimed_nodes, ports::TextSet{"n1"}) << "GUARD-2";
}

TEST_F(PublishTest, GUARD8TheGuardIsPartOfTheTable) {
  add_gang(mirror_, make_group("g", 1), 1);
  run("g-0", "n1");
  mirror_.settle(TimePoint());
  GuardKeeper keeper;
  keeper.follow(mirror_.cluster());
  PlanTableOptions options;
  options.guard = keeper.table();
  const auto plan = make_plan_table(mirror_.cluster(), options);
  ASSERT_NE(plan->guard, nullptr);
  ASSERT_NE(plan->guard->members_on("n1"), nullptr);
  EXPECT_EQ(plan->guard->members_on("n1")->uids, "g-0");
  EXPECT_TRUE(plan->claimed_nodes.empty());
}

TEST_F(PublishTest, WithoutGangsEveryPodIsEnoughByItself) {
  add_gang(mirror_, make_group("g", 3), 3);
  assume(mirror_, {{"g-0", "n1"}, {"g-1", "n1"}, {"g-2", "n2"}});
  const auto plan = make_plan_table(mirror_.cluster(), {{"berth"}, 7, true, false, false});
  EXPECT_EQ(plan->find("g-0")->gang->min_member, 1);
}

TEST_F(PublishTest, VIEW3APodThatIsShownIsOfferedItsNodeFirst) {
  add_gang(mirror_, make_group("g", 1), 1);
  assume(mirror_, {{"g-0", "n1"}});
  const auto first = [this](bool nominates, bool shows) {
    const auto plan = make_plan_table(mirror_.cluster(), {{"berth"}, 7, nominates, shows, true});
    return plan->find("g-0")->gang->is_offered_first;
  };
  EXPECT_FALSE(first(true, false)) << "one pod, few nodes: not worth a nomination";
  EXPECT_FALSE(first(false, false));
  EXPECT_TRUE(first(false, true));
}

TEST_F(PublishTest, ALonePodIsNoMemberOfTheGroupOfItsName) {
  add_gang(mirror_, make_group("g-9", 1), 1);
  PodObject lone = make_member("g", 9);
  lone.group.clear();
  mirror_.apply(lone);
  assume(mirror_, {{"g-9-0", "n1"}, {"g-9", "n1"}});
  const auto plan = table();
  EXPECT_EQ(plan->find("g-9-0")->gang->job, "ml/g-9");
  EXPECT_NE(plan->find("g-9")->gang->job, "ml/g-9");
}

TEST_F(PublishTest, ADroppedPlacementLeavesTheTable) {
  add_gang(mirror_, make_group("g", 1), 1);
  assume(mirror_, {{"g-0", "n1"}});
  mirror_.apply(PlacementDropped{"g-0", "n1", "vetoed"});
  EXPECT_TRUE(table()->pods.empty());
  EXPECT_TRUE(table()->room_left.rows.empty());
}

// Gang g of three and pods lone-0 and lone-1 in no group, all of one shape; gang h is not spread.
TEST_F(PublishTest, STEER16NamesThePodsThatMayExchangeTheirPlacesInTheOrderOfThePlan) {
  SpreadConstraint spread;
  spread.pods.all = {{"app", Operator::in, {"x"}}};
  spread.topology_key = "zone";
  for (const char* group : {"g", "h"}) mirror_.apply(make_group(group, 1));
  const auto add = [&](PodObject pod) {
    if (pod.name.starts_with("lone")) pod.group.clear();
    pod.labels = {{"app", "x"}};
    pod.constraints.relations.name_space = "ml";
    if (!pod.name.starts_with("h")) pod.constraints.relations.spread = {spread};
    mirror_.apply(pod);
  };
  for (int i = 0; i < 3; ++i) add(make_member("g", i));
  for (int i = 0; i < 2; ++i) add(make_member("lone", i));
  add(make_member("h", 0));
  assume(mirror_, {{"g-0", "n1"},
                   {"g-1", "n2"},
                   {"g-2", "n3"},
                   {"lone-0", "n1"},
                   {"lone-1", "n2"},
                   {"h-0", "n1"}});
  EXPECT_EQ(table()->find("g-0")->alike, nullptr) << "not in each mode";
  PlanTableOptions options;
  options.exchanges = 5;
  options.order_of = [this](TaskId task) {
    return mirror_.cluster().task(task).uid == "g-0" ? std::uint64_t{9} : std::uint64_t{3};
  };
  const auto plan = make_plan_table(mirror_.cluster(), options);
  using UidList = std::vector<std::string>;
  ASSERT_NE(plan->find("g-0")->alike, nullptr);
  EXPECT_EQ(*plan->find("g-0")->alike, (UidList{"g-0", "g-1", "g-2"}));
  EXPECT_EQ(plan->find("g-0")->order, 9u);
  EXPECT_EQ(plan->find("g-1")->order, 3u);
  EXPECT_EQ(plan->find("g-1")->alike, plan->find("g-0")->alike);
  ASSERT_NE(plan->find("lone-1")->alike, nullptr);
  EXPECT_EQ(*plan->find("lone-1")->alike, (UidList{"lone-0", "lone-1"}));
  EXPECT_EQ(plan->find("h-0")->alike, nullptr);
  EXPECT_EQ(plan->exchanges, 5u);
}

TEST_F(PublishTest, APodWithUnmodelledConstraintsIsAHint) {
  mirror_.apply(make_group("g", 1));
  PodObject pod = make_member("g", 0);
  pod.constraints.unmodelled = {"podAffinity"};
  mirror_.apply(pod);
  assume(mirror_, {{"g-0", "n1"}});
  EXPECT_TRUE(table()->find("g-0")->is_hint);
}

}  // namespace
}  // namespace berth::daemon
