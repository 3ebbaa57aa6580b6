#include "engine/fit/fits_on.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>

#include "support/stage.h"

namespace berth::engine {
namespace {

class FitsOnTest : public ::testing::Test {
 protected:
  void stage(const std::string& text) { world_ = support::stage(text); }
  Cluster& cluster() { return world_->mirror().cluster_for_session(); }
  TaskId task(const std::string& pod) const { return world_->task("default/" + pod); }
  Verdict on(const std::string& pod, const std::string& node = "n") {
    return fits_on(cluster(), cluster().shape_of(task(pod)), cluster().find_node(node));
  }

  std::unique_ptr<support::World> world_;
};

// Each pod passes all that the pods before it are refused by.
TEST_F(FitsOnTest, FIT6TheReasonIsTheFirstInKubeSchedulersOrder) {
  stage(
      "node n cpu=1 unschedulable taints=team:a:NoExecute labels=disk:ssd\n"
      "pod there unmanaged on=n ports=80\n"
      "pod a cpu=2 selector=disk:hdd affinity=disk:absent ports=80\n"
      "pod b cpu=2 selector=disk:hdd affinity=disk:absent ports=80 "
      "tolerates=node.kubernetes.io/unschedulable::NoSchedule\n"
      "pod c cpu=2 selector=disk:hdd affinity=disk:absent ports=80 tolerates=*\n"
      "pod d cpu=2 affinity=disk:absent ports=80 tolerates=*\n"
      "pod e cpu=2 ports=80 tolerates=*\n"
      "pod f cpu=2 tolerates=*\n"
      "pod g cpu=1 tolerates=*\n");
  EXPECT_EQ(on("a").reason, Reason::node_unschedulable);
  EXPECT_EQ(on("b").reason, Reason::taint_not_tolerated);
  EXPECT_EQ(on("c").reason, Reason::node_selector_mismatch);
  EXPECT_EQ(on("d").reason, Reason::node_affinity_mismatch);
  EXPECT_EQ(on("e").reason, Reason::host_port_taken);
  const Verdict room = on("f");
  EXPECT_EQ(room.reason, Reason::insufficient_resource);
  EXPECT_EQ(room.what, "cpu");
  EXPECT_EQ(room.have, 1000);
  EXPECT_EQ(room.need, 2000);
  EXPECT_TRUE(on("g"));
}

// Volumes come after room, then spread, then affinity.
TEST_F(FitsOnTest, FIT6TheReasonIsTheFirstInKubeSchedulersOrderOfVolumesAndRelations) {
  stage(
      "node n cpu=1 labels=topology.kubernetes.io/zone:a,rack:r1\n"
      "node m cpu=1 labels=topology.kubernetes.io/zone:b,rack:r2\n"
      "csinode n limits=d:0\n"
      "volume v1 affinity=rack:in:r2 zone=b driver=d claim=c1\nclaim c1 volume=v1\n"
      "volume v2 affinity=rack:in:r2 zone=b claim=c2\nclaim c2 volume=v2\n"
      "volume v3 zone=b claim=c3\nclaim c3 volume=v3\n"
      "volume v4 claim=c4\nclaim c4 volume=v4 modes=pod\n"
      "pod there unmanaged on=n labels=app:x disks=ebs:d claims=c4\n"
      "pod a cpu=2 claims=none disks=ebs:d\n"
      "pod b cpu=2 claims=c1 disks=ebs:d\n"
      "pod c claims=c1,c4 disks=ebs:d\n"
      "pod d claims=c1,c4\n"
      "pod e claims=c1\n"
      "pod f claims=c2 labels=app:x spread=app:x@rack@1 apart=app:x@rack\n"
      "pod g claims=c3 labels=app:x spread=app:x@rack@1 apart=app:x@rack\n"
      "pod h labels=app:x spread=app:x@rack@1 apart=app:x@rack\n"
      "pod i apart=app:x@rack\n");
  EXPECT_EQ(on("a").reason, Reason::claim_not_ready);
  EXPECT_EQ(on("a").what, "persistentvolumeclaim \"none\" not found");
  EXPECT_EQ(on("b").reason, Reason::insufficient_resource);
  EXPECT_EQ(on("c").reason, Reason::disk_conflict);
  EXPECT_EQ(on("d").reason, Reason::claim_in_use);
  EXPECT_EQ(on("d", "m").reason, Reason::claim_in_use) << "of each node";
  EXPECT_EQ(on("e").reason, Reason::too_many_volumes);
  EXPECT_EQ(on("f").reason, Reason::volume_node_affinity);
  EXPECT_EQ(on("g").reason, Reason::volume_zone);
  EXPECT_EQ(on("h").reason, Reason::topology_spread);
  EXPECT_EQ(on("i").reason, Reason::pod_anti_affinity_mismatch);
  for (const char* const pod : {"e", "f", "g", "h", "i"}) EXPECT_TRUE(on(pod, "m")) << pod;
}

TEST_F(FitsOnTest, FIT6AFreeVolumeThatAPlanHasTakenIsFree) {
  stage(
      "node n cpu=4\nstorageclass local\nvolume v class=local size=1Gi\n"
      "claim c1 class=local size=1Gi\nclaim c2 class=local size=1Gi\n"
      "pod promised claims=c1\npod p claims=c2\n");
  cluster().move_task(task("promised"), cluster().find_node("n"), TaskStatus::pipelined);
  ASSERT_EQ(cluster().relations().volumes().taken().size(), 1U);
  EXPECT_TRUE(on("p"));
}

TEST_F(FitsOnTest, FIT6APodThatLeavesHasItsRoomAndAPromiseTakesNone) {
  stage(
      "node n cpu=4\n"
      "pod leaving unmanaged on=n cpu=3 terminating\n"
      "pod promised cpu=3\n"
      "pod small cpu=1\npod large cpu=2\n");
  cluster().move_task(task("promised"), cluster().find_node("n"), TaskStatus::pipelined);
  EXPECT_TRUE(on("small"));
  EXPECT_EQ(on("large").have, 1000);
}

TEST_F(FitsOnTest, FIT6PodsThatHaveEndedOrAreOnUnknownNodesHaveNone) {
  stage(
      "node n cpu=4 pods=1\n"
      "pod ended unmanaged on=n cpu=3 ports=80\n"
      "pod elsewhere unmanaged on=gone cpu=3\n"
      "pod p cpu=4 ports=80\n"
      "finish ended\n");
  EXPECT_TRUE(on("p"));
}

TEST_F(FitsOnTest, FIT6ThePlaceOfAPodIsAsked) {
  stage(
      "node n cpu=4 pods=1\nnode m cpu=4 pods=2\n"
      "pod there unmanaged on=n\npod too unmanaged on=m\npod nothing\n");
  EXPECT_EQ(on("nothing").what, "pods");
  EXPECT_TRUE(on("nothing", "m"));
}

TEST_F(FitsOnTest, FIT6LocksDoNotCount) {
  stage("node n cpu=4\njob j min=1\ntask j/0 cpu=1\npod p cpu=1\n");
  cluster().set_lock(cluster().find_node("n"), Lock{cluster().task(task("j-0")).job, false, {}});
  ASSERT_TRUE(cluster().is_locked_out(cluster().find_node("n"), cluster().task(task("p")).job));
  EXPECT_TRUE(on("p"));
}

}  // namespace
}  // namespace berth::engine
