#include "mirror/mirror.h"

#include <gtest/gtest.h>

#include "engine/consistency.h"
#include "support/stage.h"

namespace berth::mirror {
namespace {

using support::stage;

TEST(MirrorTest, KeepsNodesInTheOrderOfTheirNames) {
  const auto world = stage("node b cpu=1\nnode c cpu=1\nnode a cpu=1\n");
  ASSERT_EQ(world->cluster().node_count(), 3u);
  EXPECT_EQ(world->cluster().node(NodeId(0)).name, "a");
  EXPECT_EQ(world->cluster().node(NodeId(2)).name, "c");
}

TEST(MirrorTest, TasksKeepTheirNodeWhenNodesBeforeItComeAndGo) {
  const auto world = stage("node m cpu=2\npod p cpu=1 on=m\n");
  world->apply(NodeObject{.name = "a",
                          .uid = "a",
                          .created = {},
                          .labels = {},
                          .taints = {},
                          .allocatable = {{"cpu", 1000}},
                          .locked_for = {},
                          .locked_since = {}});
  world->mirror().settle(TimePoint());
  EXPECT_EQ(world->cluster().node(world->node_of("default/p")).name, "m");
  EXPECT_EQ(world->cluster().idle().at(NodeId(1), kCpu), 1000);
  world->apply(NodeDeleted{"a"});
  world->mirror().settle(TimePoint());
  EXPECT_EQ(world->cluster().node(world->node_of("default/p")).name, "m");
  EXPECT_EQ(engine::first_inconsistency(world->cluster()), "");
}

TEST(MirrorTest, APodBoundToAnUnknownNodeTakesItsRoomWhenTheNodeAppears) {
  const auto world = stage("pod p unmanaged cpu=1 on=late\n");
  EXPECT_FALSE(world->node_of("default/p").is_valid());
  world->apply(NodeObject{.name = "late",
                          .uid = "late",
                          .created = {},
                          .labels = {},
                          .taints = {},
                          .allocatable = {{"cpu", 3000}},
                          .locked_for = {},
                          .locked_since = {}});
  world->mirror().settle(TimePoint());
  EXPECT_EQ(world->cluster().idle().at(NodeId(0), kCpu), 2000);
}

TEST(MirrorTest, FinishedPodsGiveTheirRoomBackAndTerminatingOnesKeepIt) {
  const auto world = stage("node n cpu=4\npod p cpu=1 on=n\npod q cpu=2 on=n terminating\n");
  EXPECT_EQ(world->cluster().idle().at(NodeId(0), kCpu), 1000);
  EXPECT_EQ(world->cluster().future_idle(NodeId(0), kCpu), 3000);
  world->finish("default/p", true);
  EXPECT_EQ(world->cluster().idle().at(NodeId(0), kCpu), 2000);
  world->remove("default/q");
  EXPECT_EQ(world->cluster().idle().at(NodeId(0), kCpu), 4000);
  EXPECT_EQ(engine::first_inconsistency(world->cluster()), "");
}

TEST(MirrorTest, IgnoresADroppedPlacementThatIsNoLongerPlannedThere) {
  const auto world = stage("node n cpu=1\nnode o cpu=1\njob a min=1\ntask a/0 cpu=1\n");
  world->plan();
  ASSERT_TRUE(world->is_planned("default/a-0"));
  world->apply(PlacementDropped{"default/a-0", "elsewhere", "test"});
  EXPECT_TRUE(world->is_planned("default/a-0"));
  world->apply(PlacementDropped{"nobody", "n", "test"});
  world->carry_out();
  world->apply(PlacementDropped{"default/a-0", "n", "test"});
  EXPECT_TRUE(world->node_of("default/a-0").is_valid()) << "it runs: too late to drop";
}

TEST(MirrorTest, APlannedPodThatIsSeenBoundElsewhereIsThere) {
  const auto world = stage("node n cpu=1\nnode o cpu=1\njob a min=1\ntask a/0 cpu=1\n");
  world->plan();
  PodObject pod = *world->pod("default/a-0");
  pod.node_name = "o";
  world->apply(pod);
  EXPECT_EQ(world->cluster().node(world->node_of("default/a-0")).name, "o");
  EXPECT_EQ(world->cluster().idle().at(NodeId(0), kCpu), 1000);
  EXPECT_EQ(world->cluster().binding_task_count(), 0);
}

TEST(MirrorTest, AnnotatingAPlannedPodLeavesItPlanned) {
  const auto world = stage("node n cpu=1\njob a min=1\ntask a/0 cpu=1\n");
  world->plan();
  PodObject pod = *world->pod("default/a-0");
  pod.nominated_node = "n";
  world->apply(pod);
  EXPECT_TRUE(world->is_planned("default/a-0"));
}

TEST(MirrorTest, AForeignGateHoldsAPodAndOursDoesNot) {
  const auto world = stage(
      "job a min=1\ntask a/0 cpu=1 gates=berth.dev/plan\n"
      "task a/1 cpu=1 gates=berth.dev/plan,example.com/x\n");
  EXPECT_FALSE(world->cluster().task(world->task("default/a-0")).is_gated);
  EXPECT_TRUE(world->cluster().task(world->task("default/a-1")).is_gated);
  EXPECT_EQ(world->cluster().job(world->job("default/a")).gated, 1);
}

TEST(MirrorTest, AGroupWithoutObjectAndMembersIsForgotten) {
  const auto world = stage("task a/0 cpu=1\n");
  EXPECT_TRUE(world->job("default/a").is_valid());
  world->remove("default/a-0");
  EXPECT_FALSE(world->job("default/a").is_valid());
  EXPECT_FALSE(world->mirror().find_group("default/a").is_valid());
}

TEST(MirrorTest, ADeletedGroupIsAsIfItHadNeverBeen) {
  const auto world = stage(
      "queue q\nnode n cpu=1\ntask a/0 cpu=1\n"
      "job a min=4 queue=q needs cpu=4 roles=ps:1\n");
  world->plan();
  world->apply(PodGroupDeleted{"default/a"});
  world->mirror().settle(TimePoint());
  const Job& job = world->cluster().job(world->job("default/a"));
  EXPECT_FALSE(job.has_group);
  EXPECT_EQ(job.min_available, 1);
  EXPECT_EQ(job.role_minimum_total, 0);
  EXPECT_FALSE(job.min_resources);
  EXPECT_EQ(job.queue_name, "default");
  EXPECT_EQ(job.phase, GroupPhase::pending);
}

TEST(MirrorTest, ASinglePodFollowsTheQueueItNames) {
  const auto world = stage("queue q\nnode n cpu=4\npod p cpu=1 on=n\npod p cpu=2 on=n queue=q\n");
  const Job& job = world->cluster().job(world->job("default/p"));
  EXPECT_EQ(job.queue_name, "q");
  EXPECT_EQ(world->cluster().queue(job.queue).allocated[kCpu], 2000);
  EXPECT_EQ((*job.min_resources)[kCpu], 2000);
}

TEST(MirrorTest, JobsFollowTheirQueueThroughItsDeletionAndReturn) {
  const auto world = stage("queue q\nnode n cpu=4\njob a min=1 queue=q\ntask a/0 cpu=1 on=n\n");
  world->apply(QueueDeleted{"q"});
  EXPECT_FALSE(world->cluster().job(world->job("default/a")).queue.is_valid());
  EXPECT_EQ(engine::first_inconsistency(world->cluster()), "");
  world->apply(bare_queue("q"));
  const Job& job = world->cluster().job(world->job("default/a"));
  ASSERT_TRUE(job.queue.is_valid());
  EXPECT_EQ(world->cluster().queue(job.queue).allocated[kCpu], 1000);
}

TEST(MirrorTest, AQueueThatComesTouchesOnlyTheJobsThatNameIt) {
  std::string text = "priorityclass high value=9\n";
  for (int j = 0; j < 100; ++j) {
    const std::string name = "a" + std::to_string(j);
    text += "job " + name + " min=1 queue=q" + std::to_string(j) + "\n";
    text += "task " + name + "/0 cpu=1 class=high\n";
  }
  const auto world = stage(text);
  world->mirror().take_changes();
  const std::uint64_t before = world->cluster().stamp();
  for (int q = 0; q < 100; ++q) {
    world->apply(bare_queue("q" + std::to_string(q)));
    const Job& job = world->cluster().job(world->job("default/a" + std::to_string(q)));
    EXPECT_TRUE(job.queue.is_valid());
  }
  // All jobs for each queue: 10,000.
  EXPECT_LT(world->cluster().stamp() - before, 1'000U);
  // But their queue may be below it.
  world->mirror().settle(TimePoint());
  EXPECT_EQ(world->mirror().take_changes().size(), 100U);
  EXPECT_EQ(engine::first_inconsistency(world->cluster()), "");
}

TEST(MirrorTest, AJobThatIsGoneOrNamesAnotherQueueDoesNotWaitForTheFirst) {
  const auto world = stage(
      "job a min=1 queue=q\ntask a/0 cpu=1\njob b min=1 queue=q\ntask b/0 cpu=1\n"
      "job b min=1 queue=r\nqueue r\n");
  world->remove("default/a-0");
  world->apply(PodGroupDeleted{"default/a"});
  world->apply(bare_queue("q"));
  world->mirror().settle(TimePoint());
  const Job& job = world->cluster().job(world->job("default/b"));
  EXPECT_EQ(world->cluster().queue(job.queue).name, "r");
  EXPECT_EQ(engine::first_inconsistency(world->cluster()), "");
}

TEST(MirrorTest, TheDefaultQueueCannotBeDeleted) {
  const auto world = stage("queue default state=closed\n");
  world->apply(QueueDeleted{"default"});
  bool found = false;
  for (std::size_t q = 0; q < world->cluster().queue_slots(); ++q) {
    const Queue& queue = world->cluster().queue(QueueId(q));
    if (!queue.exists || queue.name != "default") continue;
    found = true;
    EXPECT_EQ(queue.state, QueueState::open);
  }
  EXPECT_TRUE(found);
}

TEST(MirrorTest, TheLowestOfSeveralDefaultClassesCounts) {
  const auto world = stage(
      "priorityclass a value=9 default\npriorityclass b value=4 default\n"
      "pod p cpu=1\npod q cpu=1 class=a\npod r cpu=1 priority=7\n");
  EXPECT_EQ(world->cluster().task(world->task("default/p")).priority, 4);
  EXPECT_EQ(world->cluster().task(world->task("default/q")).priority, 9);
  EXPECT_EQ(world->cluster().task(world->task("default/r")).priority, 7);
  world->apply(PriorityClassDeleted{"b"});
  EXPECT_EQ(world->cluster().task(world->task("default/p")).priority, 9);
}

}  // namespace
}  // namespace berth::mirror
