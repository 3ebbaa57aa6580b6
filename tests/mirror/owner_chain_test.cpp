#include "mirror/owner_chain.h"

#include <gtest/gtest.h>

#include "mirror/owned_gangs_fixture.h"

// The objects that operators make of their users', and whose gang the pods are.

namespace berth::mirror {
namespace {

TEST_F(OwnedGangsTest, OWNED2_TheJobsOfAJobSetAreOneGang) {
  OwnerObject set = owner_of(reference("jobset.x-k8s.io/v1alpha2", "JobSet", "set"), 5);
  set.gang = wish("all");
  OwnerObject leader = job("set-leader-0", 1);
  OwnerObject workers = job("set-workers-0", 4);
  leader.controller = workers.controller = set.self;
  take_pods(leader.self, 1);
  take_pods(workers.self, 2);
  for (const OwnerObject& each : {workers, set, leader}) take(each);
  EXPECT_EQ(group().owner, set.self);
  EXPECT_EQ(group().min_member, 5);
  EXPECT_EQ(pod("set-leader-0-0").group, pod("set-workers-0-1").group);
}

TEST_F(OwnedGangsTest, OWNED2_ATrainJobsAnnotationCountsForItsJobSet) {
  OwnerObject train = owner_of(reference("trainer.kubeflow.org/v1alpha1", "TrainJob", "t"), {});
  train.gang = wish("all");
  OwnerObject set = owner_of(reference("jobset.x-k8s.io/v1alpha2", "JobSet", "t"), 4);
  set.controller = train.self;
  OwnerObject node = job("t-node-0", 4);
  node.controller = set.self;
  for (const OwnerObject& each : {node, set}) take(each);
  take_pods(node.self, 1);
  EXPECT_EQ(pod("t-node-0-0").gang_fault, "TrainJob ml/t has not been seen yet");
  take(train);
  EXPECT_EQ(group().owner, set.self);
  EXPECT_EQ(group().min_member, 4);
}

TEST_F(OwnedGangsTest, OWNED2_AnMpiJobsLauncherIsOneOfTheGangThoughAJobMakesIt) {
  OwnerObject mpi = owner_of(reference("kubeflow.org/v2beta1", "MPIJob", "mpi"), 3);
  mpi.gang = wish("all");
  OwnerObject launcher = job("mpi-launcher", 1);
  launcher.controller = mpi.self;
  for (const OwnerObject& each : {mpi, launcher}) take(each);
  take_pods(launcher.self, 1);
  take_pods(mpi.self, 2);
  EXPECT_EQ(pod("mpi-launcher-0").group, pod("mpi-0").group);
  EXPECT_EQ(group().min_member, 3);
}

TEST_F(OwnedGangsTest, OWNED2_ARayJobsSubmitterIsAJobOfItsOwn) {
  OwnerObject submitter = job("ray-submit", 1);
  submitter.controller = reference("ray.io/v1", "RayJob", "ray");
  OwnerObject cluster = owner_of(reference("ray.io/v1", "RayCluster", "ray-abc"), 3);
  cluster.controller = submitter.controller;
  cluster.gang = wish("all");
  for (const OwnerObject& each : {submitter, cluster}) take(each);
  take_pods(submitter.self, 1);
  take_pods(cluster.self, 2);
  EXPECT_TRUE(pod("ray-submit-0").group.empty());
  EXPECT_TRUE(pod("ray-submit-0").gang_fault.empty());
  EXPECT_FALSE(pod("ray-abc-0").group.empty());
}

TEST_F(OwnedGangsTest, OWNED2_EachGroupOfALeaderWorkerSetIsAGang) {
  OwnerObject set = owner_of(reference("leaderworkerset.x-k8s.io/v1", "LeaderWorkerSet", "lws"), 3);
  set.gang = wish("all");
  for (const char* group : {"0", "1"}) {
    PodObject leader =
        pod_of(reference("apps/v1", "StatefulSet", "lws"), std::string("lws-") + group);
    PodObject worker = pod_of(reference("apps/v1", "StatefulSet", std::string("lws-") + group),
                              std::string("lws-") + group + "-1");
    for (PodObject* each : {&leader, &worker}) {
      each->labels = {{"leaderworkerset.sigs.k8s.io/group-index", group},
                      {"leaderworkerset.sigs.k8s.io/name", "lws"}};
      take(*each);
    }
  }
  EXPECT_EQ(pod("lws-0").gang_fault, "LeaderWorkerSet ml/lws has not been seen yet");
  take(set);
  EXPECT_EQ(pod("lws-0").group, pod("lws-0-1").group);
  EXPECT_EQ(pod("lws-1").group, pod("lws-1-1").group);
  EXPECT_NE(pod("lws-0").group, pod("lws-1").group);
  ASSERT_EQ(gangs().groups().size(), 2U);
  EXPECT_EQ(gangs().groups().begin()->second.min_member, 3);
  EXPECT_EQ(gangs().groups().begin()->second.owner, set.self);
}

// A user writes the uid of another namespace's Job on a pod: it says nothing about that Job.
TEST_F(OwnedGangsTest, OWNED2_AnOwnerIsOfThePodsNamespace) {
  OwnerObject theirs = job("theirs", 8);
  theirs.name_space = "secret";
  theirs.gang = wish("not a number");
  theirs.queue.queue = "research";
  take(theirs);
  take(pod_of(theirs.self, "forged"));
  EXPECT_EQ(pod("forged").gang_fault, "Job ml/theirs has not been seen yet");
  wait(std::chrono::seconds(10));
  EXPECT_EQ(pod("forged").gang_fault, "");
  const std::string unseen =
      "Job ml/theirs has not been seen, and its pods are planned one by one; it does not exist, or "
      "berthd may not list and watch its kind";
  EXPECT_EQ(pod("forged").gang_advice, unseen);
  EXPECT_EQ(pod("forged").queue, "");
  theirs.at_once = 9;
  take(theirs);
  EXPECT_EQ(pod("forged").gang_advice, unseen);
}

TEST_F(OwnedGangsTest, OWNED2_SparksExecutorsAreAGangOfTheirDriver) {
  take_pods(reference("v1", "Pod", "driver"), 2, wish("2"));
  EXPECT_EQ(group().owner.kind, "Pod");
  EXPECT_EQ(group().min_member, 2);
}

}  // namespace
}  // namespace berth::mirror
