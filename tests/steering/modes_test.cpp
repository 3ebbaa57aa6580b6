#include <gtest/gtest.h>

#include "steering/steering_fixture.h"

namespace berth::steering {
namespace {

TEST_F(SteeringTest, STEER12APodThatKubeSchedulerCannotPlaceIsDroppedAsVetoed) {
  start_leading();
  post_gang(1, 1);
  plan({{"g-0", "n1"}});
  rounds();
  PodObject pod = member(0, false);
  pod.unschedulable = "0/2 nodes are available: 2 berth has not planned this pod yet.";
  post(pod);
  EXPECT_TRUE(round().empty()) << "that was us";
  pod.unschedulable = "0/2 nodes are available: 2 node(s) had volume node affinity conflict.";
  post(pod);
  const auto drops = round();
  ASSERT_EQ(drops.size(), 1u);
  EXPECT_TRUE(drops[0].is_vetoed);
  EXPECT_NE(drops[0].reason.find("volume node affinity"), std::string::npos);
}

TEST_F(SteeringTest, STEER12APodMovedWithinAFilterCallGoesOn) {
  start_leading();
  post_last_of_two();
  plan({{"g-0", "n1"}});
  rounds();
  post(PlacementMoved{"g-0", "n1", "n2"});
  EXPECT_EQ(rounds(), (Texts{"nominate g-0 on n2", "commit g-0 on n2"}))
      << "so that a second veto, or a restart, finds the new node";
  EXPECT_EQ(steering_.under_way(), 1u);
}

class LocksAsTaints : public SteeringTest {
 protected:
  void SetUp() override {
    SteeringTest::SetUp();
    post_gang(1, 1);
    current_ = &steering_of_taints_;
    start_leading();
    Plan plan;
    plan.reservations.emplace_back();
    plan.reservations[0].job = mirror_.find_group("ml/g");
    plan.reservations[0].nodes = {mirror_.cluster().find_node("n1")};
    mirror_.assume_reservations(plan, now_);
  }
  // Node n1 is its queue's, and the target's, too; n2 is the queue's.
  void keep_nodes_for_queue() {
    Plan plan;
    plan.reservations.emplace_back();
    plan.reservations[0].job = mirror_.find_group("ml/g");
    plan.reservations[0].nodes = {mirror_.cluster().find_node("n1")};
    const QueueId queue = mirror_.cluster().job(mirror_.find_group("ml/g")).queue;
    plan.queue_nodes = {{queue, {NodeId(0), NodeId(1)}, {}}};
    mirror_.assume_reservations(plan, now_);
    mirror_.settle(now_);
  }
  Texts write_until_calm() {
    for (int i = 0; i < 5; ++i) round();
    return api_.take();
  }

  Steering steering_of_taints_{observed_, writes_, {.locks_are_taints = true}};
};

TEST_F(LocksAsTaints, STEER13ATargetsPodToleratesItsLockBeforeItIsCommitted) {
  plan({{"g-0", "n1"}});
  api_.answers_at_once = false;
  for (int i = 0; i < 3; ++i) round();
  ASSERT_EQ(api_.writes.size(), 1u);
  EXPECT_EQ(api_.writes[0].content.kind, Kind::tolerate);
  EXPECT_EQ(api_.writes[0].content.locked_for, "job.g");
  EXPECT_TRUE(api_.writes[0].content.is_first_toleration);
  const auto done = api_.writes[0].done;
  api_.take();
  EXPECT_TRUE(write_until_calm().empty());
  api_.answers_at_once = true;
  done({});
  EXPECT_EQ(write_until_calm(), Texts{"commit g-0 on n1"});
}

TEST_F(LocksAsTaints, STEER13WhoToleratesItAlreadyIsCommitted) {
  PodObject pod = member(0);
  pod.lock_tolerations.some = {"job.g"};
  post(pod);
  plan({{"g-0", "n1"}});
  EXPECT_EQ(write_until_calm(), Texts{"commit g-0 on n1"});
}

TEST_F(LocksAsTaints, STEER13WhoToleratesEveryLockIsCommitted) {
  PodObject pod = member(0);
  pod.lock_tolerations.all = true;
  post(pod);
  plan({{"g-0", "n1"}});
  EXPECT_EQ(write_until_calm(), Texts{"commit g-0 on n1"});
}

TEST_F(LocksAsTaints, STEER13ATolerationOfAnotherJobsLockIsNotTheRightOne) {
  PodObject pod = member(0);
  pod.lock_tolerations.some = {"job.copied"};
  post(pod);
  plan({{"g-0", "n1"}});
  for (int i = 0; i < 3; ++i) round();
  ASSERT_EQ(api_.writes.size(), 2u);
  EXPECT_EQ(api_.writes[0].content.kind, Kind::tolerate);
  EXPECT_EQ(api_.writes[0].content.locked_for, "job.g");
  EXPECT_FALSE(api_.writes[0].content.is_first_toleration) << "the other's is in the list";
}

TEST_F(LocksAsTaints, STEER13ATargetOnANodeOfItsQueueToleratesBothOneAfterTheOther) {
  keep_nodes_for_queue();
  plan({{"g-0", "n1"}});
  for (int i = 0; i < 4; ++i) round();
  ASSERT_EQ(api_.writes.size(), 3u);
  EXPECT_EQ(api_.writes[0].content.locked_for, "job.g");
  EXPECT_TRUE(api_.writes[0].content.is_first_toleration);
  EXPECT_EQ(api_.writes[1].content.kind, Kind::tolerate);
  EXPECT_EQ(api_.writes[1].content.locked_for, "queue.default");
  EXPECT_FALSE(api_.writes[1].content.is_first_toleration) << "the watch has yet to show it";
  EXPECT_EQ(api_.writes[2].content.kind, Kind::commit);
}

TEST_F(LocksAsTaints, STEER13OnANodeOfItsQueueOneIsEnough) {
  keep_nodes_for_queue();
  plan({{"g-0", "n2"}});
  EXPECT_EQ(write_until_calm(), (Texts{"commit g-0 on n2", "tolerate g-0"}));
}

TEST_F(LocksAsTaints, STEER13WhoToleratesTheQueuesLockIsCommitted) {
  keep_nodes_for_queue();
  PodObject pod = member(0);
  pod.lock_tolerations.some = {"queue.default"};
  post(pod);
  plan({{"g-0", "n2"}});
  EXPECT_EQ(write_until_calm(), Texts{"commit g-0 on n2"});
}

TEST_F(LocksAsTaints, STEER13WhoUsesATargetsNodeInTheMeantimeToleratesItsLock) {
  keep_nodes_for_queue();
  PodObject pod = daemon::make_member("h", 0);
  pod.gates = {"berth.dev/plan"};
  post(make_group("h", 1));
  post(pod);
  plan({{"h-0", "n1"}});
  for (int i = 0; i < 4; ++i) round();
  ASSERT_EQ(api_.writes.size(), 3u);
  EXPECT_EQ(api_.writes[0].content.locked_for, "job.g");
  EXPECT_EQ(api_.writes[1].content.locked_for, "queue.default");
  EXPECT_EQ(api_.writes[2].content.kind, Kind::commit);
}

TEST_F(LocksAsTaints, STEER13TolerationsAreAddedToThoseThatAreThere) {
  PodObject pod = member(0);
  pod.constraints.tolerations = {{"gpu", true, "", TaintEffect::any}};
  post(pod);
  plan({{"g-0", "n1"}});
  for (int i = 0; i < 3; ++i) round();
  ASSERT_EQ(api_.writes.size(), 2u);
  EXPECT_FALSE(api_.writes[0].content.is_first_toleration);
}

TEST_F(LocksAsTaints, STEER13NothingIsToleratedElsewhere) {
  plan({{"g-0", "n2"}});
  EXPECT_EQ(write_until_calm(), Texts{"commit g-0 on n2"});
}

TEST_F(LocksAsTaints, STEER13WithoutTaintsNothingIsTolerated) {
  current_ = &steering_;
  start_leading();
  plan({{"g-0", "n1"}});
  EXPECT_EQ(write_until_calm(), Texts{"commit g-0 on n1"});
}

}  // namespace
}  // namespace berth::steering
