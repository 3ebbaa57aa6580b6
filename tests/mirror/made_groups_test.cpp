#include "mirror/made_groups.h"

#include <gtest/gtest.h>

#include "mirror/owned_gangs_fixture.h"

namespace berth::mirror {
namespace {

using std::chrono::seconds;

// A typing error on a Job that runs.
TEST_F(OwnedGangsTest, OWNED16_AGangKeepsItsLastNumberWhileItsAnnotationCannotBeRead) {
  OwnerObject train = job("train", 8);
  train.gang = wish("8");
  take(train);
  take_pods(train.self, 8);
  take(make_group());
  const std::string name = group().name;
  train.gang = wish("eigth");
  take(train);
  EXPECT_EQ(pod("train-0").group, name);
  EXPECT_EQ(pod("train-0").gang_fault, "");
  EXPECT_EQ(group().min_member, 8);
  EXPECT_FALSE(group().is_left);
  EXPECT_EQ(given_group().not_honoured,
            std::vector<std::string>{
                "a new size of the gang (annotation berth.dev/gang of Job ml/train is \"eigth\", "
                "expected a number from 1 to 2147483647, or \"all\"; minMember stays 8)"});
  take_pods(train.self, 9);
  EXPECT_EQ(pod("train-8").group, name) << "also a pod that comes now";
  train.gang = wish("6");
  take(train);
  EXPECT_EQ(group().min_member, 6);
  EXPECT_TRUE(given_group().not_honoured.empty());
  train.gang = wish("1");
  take(train);
  EXPECT_TRUE(group().is_left) << "what can be read counts";
}

TEST_F(OwnedGangsTest, OWNED16_AGroupThatIsNoLongerBerthsSaysNothingAboutItsGang) {
  OwnerObject train = job("train", 8);
  train.gang = wish("8");
  take(train);
  take_pods(train.self, 8);
  PodGroupObject made = make_group();
  take(made);
  train.gang = wish("eigth");
  take(train);
  ASSERT_EQ(given_group().not_honoured.size(), 1U);
  made.is_made_by_berth = false;  // its annotation berth.dev/made-for was removed
  take(made);
  EXPECT_TRUE(given_group().not_honoured.empty());
  take(made);
  EXPECT_TRUE(given_group().not_honoured.empty()) << "also when it is seen later";
  made.is_made_by_berth = true;
  take(made);
  EXPECT_EQ(given_group().not_honoured.size(), 1U);
}

TEST_F(OwnedGangsTest, OWNED16_AGangThatWasNeverMadeWaitsForANumber) {
  OwnerObject train = job("train", 8);
  train.gang = wish("8");
  take(train);
  take_pods(train.self, 8);
  PodGroupObject users = make_group();
  users.is_made_by_berth = false;
  take(users);
  train.gang = wish("eigth");
  take(train);
  EXPECT_EQ(pod("train-0").group, "");
  EXPECT_NE(pod("train-0").gang_fault, "");
}

// The API server refuses the list of Jobs to a berthd that starts.
TEST_F(OwnedGangsTest, OWNED16_AGangStaysTogetherWhileItsOwnerIsNotKnown) {
  OwnerObject train = job("train", 8);
  train.gang = wish("all");
  train.queue.queue = "research";
  take(train);
  take_pods(train.self, 8);
  const PodGroupObject made = make_group();
  const OwnedGroup before = group();
  restart();
  take_pods(train.self, 8, wish("3"));
  take(made);
  EXPECT_EQ(pod("train-0").group, made.name) << "it waits for nothing";
  wait(seconds(10));
  EXPECT_EQ(pod("train-7").group, made.name);
  EXPECT_EQ(group().min_member, 8) << "and not what its pods say";
  EXPECT_EQ(group().queue, "research");
  EXPECT_EQ(group().owner.uid, before.owner.uid);
  EXPECT_EQ(given_group().not_honoured,
            std::vector<std::string>{
                "a new size of the gang (Job ml/train has not been seen; minMember stays 8)"});
  take(PodGroupDeleted{made.full_name()});
  EXPECT_EQ(group().min_member, 3) << "the word of the pods is left";
  take(train);
  EXPECT_EQ(group().min_member, 8);
}

TEST_F(OwnedGangsTest, OWNED16_AGroupOfALeaderWorkerSetIsFoundByItsName) {
  OwnerObject set =
      owner_of(reference("leaderworkerset.x-k8s.io/v1", "LeaderWorkerSet", "serve"), 4);
  set.gang = wish("all");
  PodObject worker = pod_of(reference("apps/v1", "StatefulSet", "serve"), "serve-0");
  worker.labels = {{"leaderworkerset.sigs.k8s.io/name", "serve"},
                   {"leaderworkerset.sigs.k8s.io/group-index", "0"}};
  OwnerObject stateful = owner_of(worker.owner, 1);
  for (const OwnerObject& each : {set, stateful}) take(each);
  take(worker);
  const PodGroupObject made = make_group();
  restart();
  take(made);
  PodGroupObject another = made;
  another.name = "serve-1-abcde";
  another.uid = "uid-of-another";
  take(another);
  take(worker);
  wait(seconds(10));
  EXPECT_EQ(pod("serve-0").group, made.name);
  EXPECT_EQ(group().owner.uid, set.uid);
}

TEST_F(OwnedGangsTest, OWNED8_PodsThatArePlannedWithoutTheirOwnerSaySo) {
  take_pods(job("train", 8).self, 1);
  wait(seconds(10));
  EXPECT_EQ(
      pod("train-0").gang_advice,
      "Job ml/train has not been seen, and its pods are planned one by one; it does not exist, or "
      "berthd may not list and watch its kind");
  take(job("train", 8));
  EXPECT_EQ(pod("train-0").gang_advice.find("has not been seen"), std::string::npos);
}

// Nobody says that an object is deleted which was never seen.
TEST_F(OwnedGangsTest, OWNED9_AnOwnerIsLeftWhenItsLastPodGoesAlsoIfItWasNeverSeen) {
  const OwnerReference forged = reference("batch/v1", "Job", "forged");
  take_pods(forged, 2);
  wait(seconds(10));
  ASSERT_NE(gangs().lone_owner("uid-forged-0"), nullptr);
  take(PodDeleted{"uid-forged-0"});
  EXPECT_TRUE(gangs().take_left_owners().empty());
  take(PodDeleted{"uid-forged-1"});
  const std::set<OwnedGangs::OwnerName> left{{"ml", forged.uid, forged.name}};
  EXPECT_EQ(gangs().take_left_owners(), left);
  EXPECT_TRUE(gangs().take_left_owners().empty());
  take_pods(forged, 1);
  take(PodDeleted{"uid-forged-0"});
  take_pods(forged, 1);
  EXPECT_TRUE(gangs().take_left_owners().empty()) << "it has a pod again";
  PodObject orphan = pod_of({}, "forged-0");
  take(orphan);
  EXPECT_EQ(gangs().take_left_owners(), left);
}

}  // namespace
}  // namespace berth::mirror
