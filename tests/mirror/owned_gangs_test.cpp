#include "mirror/owned_gangs.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "mirror/owned_gangs_fixture.h"

namespace berth::mirror {
namespace {

using std::chrono::seconds;

TEST_F(OwnedGangsTest, OWNED3_PodsOfAnAnnotatedJobAreOneGang) {
  OwnerObject train = job("train", 8);
  train.gang = wish("all");
  take(train);
  take_pods(train.self, 3);
  EXPECT_EQ(group().full_name(), "ml/" + pod("train-0").group);
  EXPECT_EQ(pod("train-2").group, pod("train-0").group);
  EXPECT_EQ(group().min_member, 8);
  EXPECT_EQ(group().owner, train.self);
  EXPECT_EQ(group().queue, "default");
  EXPECT_TRUE(group().is_live);
  EXPECT_TRUE(pod("train-0").gang_fault.empty());
}

TEST_F(OwnedGangsTest, OWNED3_TheAnnotationMayStandOnThePods) {
  take(job("train", 8));
  take_pods(job("train", 8).self, 2, {"scheduling.volcano.sh/group-min-member", "4"});
  EXPECT_EQ(group().min_member, 4);
  EXPECT_FALSE(pod("train-0").group.empty());
}

TEST_F(OwnedGangsTest, OWNED1_AGroupThatTheUserNamesWins) {
  OwnerObject train = job("train", 8);
  train.gang = wish("all");
  take(train);
  PodObject named = pod_of(train.self, "train-0");
  named.group = "mine";
  take(named);
  EXPECT_EQ(pod("train-0").group, "mine");
  EXPECT_TRUE(gangs().groups().empty());
}

TEST_F(OwnedGangsTest, OWNED4_TheOwnersNumberComesBeforeThatOfItsPods) {
  OwnerObject train = job("train", 8);
  take(train);
  take_pods(train.self, 2, wish("4"));
  PodObject greedy = pod_of(train.self, "train-9");
  greedy.gang = wish("6");
  take(greedy);
  EXPECT_EQ(group().min_member, 6) << "the greatest on its pods";
  train.gang = wish("5");
  take(train);
  EXPECT_EQ(group().min_member, 5);
  train.gang = wish("1");
  take(train);
  EXPECT_TRUE(pod("train-0").group.empty()) << "1 takes it out";
  EXPECT_TRUE(group().is_left);
}

TEST_F(OwnedGangsTest, OWNED5_AllFollowsTheCountOfTheOwner) {
  OwnerObject train = job("train", 8);
  train.gang = wish("all");
  take(train);
  take_pods(train.self, 1);
  train.at_once = 6;
  take(train);
  EXPECT_EQ(group().min_member, 6);
  train.at_once = 0;
  take(train);
  EXPECT_EQ(group().min_member, 1);
  EXPECT_FALSE(pod("train-0").group.empty());
}

TEST_F(OwnedGangsTest, OWNED6_TheConfigurationMakesGangsWithoutAnAnnotation) {
  use(GangRule::indexed);
  OwnerObject indexed = job("indexed", 4);
  indexed.is_indexed = true;
  take(indexed);
  take(job("plain", 4));
  take_pods(indexed.self, 1);
  take_pods(job("plain", 4).self, 1);
  EXPECT_FALSE(pod("indexed-0").group.empty());
  EXPECT_TRUE(pod("plain-0").group.empty());
}

TEST_F(OwnedGangsTest, OWNED6_AllMakesGangsOfAllThatCanBeWhole) {
  use(GangRule::all);
  OwnerObject ordered = owner_of(reference("apps/v1", "StatefulSet", "db"), 3);
  ordered.at_first = 1;
  OwnerObject excepted = job("excepted", 4);
  excepted.gang = wish("1");
  for (const OwnerObject& each : {ordered, excepted, job("plain", 4)}) {
    take(each);
    take_pods(each.self, 1);
  }
  EXPECT_FALSE(pod("plain-0").group.empty());
  EXPECT_TRUE(pod("excepted-0").group.empty());
  EXPECT_TRUE(pod("db-0").group.empty());
  EXPECT_TRUE(pod("db-0").gang_fault.empty());
}

TEST_F(OwnedGangsTest, OWNED7_AGangThatCanNeverBeWholeIsAFault) {
  OwnerObject set = owner_of(reference("apps/v1", "StatefulSet", "db"), 3);
  set.gang = wish("all");
  set.at_first = 1;
  set.in_turn = "podManagementPolicy: OrderedReady";
  take(set);
  take_pods(set.self, 1);
  EXPECT_EQ(pod("db-0").gang_fault,
            "StatefulSet ml/db makes only 1 of 3 pods before one of them runs "
            "(podManagementPolicy: OrderedReady)");
  EXPECT_TRUE(pod("db-0").group.empty());
}

TEST_F(OwnedGangsTest, OWNED4_AnAnnotationThatCannotBeReadIsAFaultThatNamesIt) {
  OwnerObject train = job("train", 8);
  take(train);
  for (const char* bad : {"eight", "0", "-3", "2147483648", "8 ", "", "All"}) {
    train.gang = wish(bad);
    take(train);
    take_pods(train.self, 1);
    EXPECT_EQ(pod("train-0").gang_fault, "annotation berth.dev/gang of Job ml/train is \"" +
                                             std::string(bad) +
                                             "\", expected a number from 1 to 2147483647, or "
                                             "\"all\"");
  }
}

TEST_F(OwnedGangsTest, OWNED5_AllOfAnOwnerThatIsNotKnownIsAFaultWithARemedy) {
  take_pods(reference("example.com/v1", "Farm", "f"), 1, wish("all"));
  EXPECT_EQ(pod("f-0").gang_fault,
            "annotation berth.dev/gang of Pod ml/f-0 is \"all\", and Berth does not know how many "
            "pods Farm ml/f wants; expected a number, or its kind in jobs.owners of the "
            "configuration");
  PodObject counted = pod_of(reference("example.com/v1", "Farm", "f"), "f-1");
  counted.gang = wish("3");
  take(counted);
  EXPECT_FALSE(pod("f-1").group.empty()) << "a number needs no owner that is watched";
}

TEST_F(OwnedGangsTest, OWNED3_APodWithoutAControllerCanBeInNoGangOfAnOwner) {
  PodObject alone = pod_of({}, "alone");
  alone.gang = wish("8");
  take(alone);
  EXPECT_NE(pod("alone").gang_fault.find("has no controller"), std::string::npos);
  alone.gang = wish("1");
  take(alone);
  EXPECT_TRUE(pod("alone").gang_fault.empty());
}

TEST_F(OwnedGangsTest, OWNED8_APodWaitsForItsOwnerForAWhile) {
  take_pods(job("train", 8).self, 1);
  EXPECT_EQ(pod("train-0").gang_fault, "Job ml/train has not been seen yet");
  wait(seconds(9));
  EXPECT_FALSE(pod("train-0").gang_fault.empty());
  wait(seconds(1));
  EXPECT_TRUE(pod("train-0").gang_fault.empty()) << "as if it had no owner";
  OwnerObject late = job("train", 8);
  late.gang = wish("all");
  take(late);
  EXPECT_EQ(group().min_member, 8);
  EXPECT_FALSE(pod("train-0").group.empty());
}

// berthd starts while Jobs cannot be listed. The PodGroup that it made before must stay.
TEST_F(OwnedGangsTest, OWNED13_AGroupIsNotLeftWhileItsOwnerIsNotKnown) {
  OwnerObject train = job("train", 8);
  take_pods(train.self, 8);
  wait(seconds(10));
  EXPECT_TRUE(pod("train-0").gang_fault.empty()) << "its patience is over";
  EXPECT_TRUE(gangs().groups().empty()) << "nothing is to be made, and nothing to be removed";
  train.gang = wish("all");
  take(train);
  EXPECT_FALSE(group().is_left);
  train.gang = wish("1");
  take(train);
  EXPECT_TRUE(group().is_left) << "now it is known that they are no gang";
}

// A typing error on a Job that runs must not cost its PodGroup.
TEST_F(OwnedGangsTest, OWNED13_AGroupIsNotLeftByPodsWhoseGangCannotBeRead) {
  OwnerObject train = job("train", 8);
  train.gang = wish("all");
  take(train);
  take_pods(train.self, 8);
  EXPECT_EQ(group().min_member, 8);
  train.gang = wish("al");
  take(train);
  EXPECT_FALSE(pod("train-0").gang_fault.empty());
  EXPECT_TRUE(gangs().groups().empty());
  train.gang = wish("6");
  take(train);
  EXPECT_EQ(group().min_member, 6);
}

TEST_F(OwnedGangsTest, OWNED8_NobodyWaitsForAnOwnerThatIsNotWatched) {
  take_pods(reference("apps/v1", "ReplicaSet", "web"), 1);
  EXPECT_TRUE(pod("web-0").gang_fault.empty());
}

TEST_F(OwnedGangsTest, OWNED9_PodsThatCouldBeAGangHaveAdviceUnlessTheirOwnerHasAWord) {
  OwnerObject train = job("train", 8);
  take(train);
  take_pods(train.self, 1);
  EXPECT_EQ(pod("train-0").gang_advice,
            "Job ml/train wants 8 pods at once, and they are planned one by one; annotation "
            "berth.dev/gang: all on the Job makes them one gang");
  ASSERT_NE(gangs().lone_owner("uid-train-0"), nullptr);
  EXPECT_EQ(*gangs().lone_owner("uid-train-0"), train.self);
  train.gang = wish("1");
  take(train);
  EXPECT_EQ(pod("train-0").gang_advice, "");
  EXPECT_EQ(gangs().lone_owner("uid-train-0"), nullptr);
  take(job("one", 1));
  take_pods(job("one", 1).self, 1);
  EXPECT_EQ(pod("one-0").gang_advice, "");
}

TEST_F(OwnedGangsTest, OWNED10_NamesAreValidAndDifferForAnOwnerOfTheSameName) {
  const OwnerReference first{"batch/v1", "Job", "train", "uid-1"};
  const OwnerReference second{"batch/v1", "Job", "train", "uid-2"};
  EXPECT_TRUE(name_of_group(first, "").starts_with("train-"));
  EXPECT_EQ(name_of_group(first, "").size(), 11U);
  EXPECT_NE(name_of_group(first, ""), name_of_group(second, ""));
  EXPECT_EQ(name_of_group(first, ""), name_of_group(first, ""));
  EXPECT_TRUE(name_of_group(first, "12").starts_with("train-12-"));
  const OwnerReference long_one{"batch/v1", "Job",
                                std::string(246, 'a') + "." + std::string(6, 'b'), "u"};
  const std::string name = name_of_group(long_one, "");
  EXPECT_LE(name.size(), 253U);
  EXPECT_EQ(name.find(".-"), std::string::npos);
}

// --- queues -----------------------------------------------------------------------------------

TEST_F(OwnedGangsTest, OWNED15_AQueueIsNamedByThePodThenItsOwnerThenItsNamespace) {
  OwnerObject train = job("train", 2);
  train.gang = wish("all");
  take(train);
  take_pods(train.self, 1);
  EXPECT_EQ(group().queue, "default");
  EXPECT_EQ(pod("train-0").queue, "");
  take(NamespaceObject{"ml", "of-namespace"});
  EXPECT_EQ(group().queue, "of-namespace");
  train.queue.local_queue = "local";
  take(train);
  EXPECT_EQ(group().queue, "of-namespace") << "there is no Queue of that name";
  QueueObject local;
  local.name = "local";
  take(local);
  EXPECT_EQ(group().queue, "local");
  take(QueueDeleted{"local"});
  EXPECT_EQ(group().queue, "of-namespace");
  take(local);
  train.queue.queue = "of-owner";
  take(train);
  EXPECT_EQ(group().queue, "of-owner") << "Volcano's words come before Kueue's";
  PodObject own = pod_of(train.self, "train-0");
  own.queue = "of-pod";
  take(own);
  EXPECT_EQ(group().queue, "of-pod");
  EXPECT_EQ(pod("train-0").queue, "of-pod");
}

// --- coming and going -------------------------------------------------------------------------

TEST_F(OwnedGangsTest, OWNED12_AGangIsLiveWhileOneOfItHasNotFinished) {
  OwnerObject train = job("train", 2);
  train.gang = wish("all");
  take(train);
  take_pods(train.self, 1);
  PodObject done = pod_of(train.self, "train-0");
  done.phase = PodPhase::succeeded;
  take(done);
  EXPECT_FALSE(group().is_live);
  EXPECT_FALSE(group().is_left);
  take(PodDeleted{"uid-train-0"});
  EXPECT_TRUE(gangs().groups().empty());
}

TEST_F(OwnedGangsTest, OWNED12_PodsThatOutliveTheirOwnerStayItsGangAndNoGroupIsMadeForThem) {
  OwnerObject train = job("train", 2);
  train.gang = wish("all");
  take(train);
  take_pods(train.self, 2);
  take(OwnerDeleted{train.uid});
  EXPECT_FALSE(pod("train-0").group.empty());
  EXPECT_FALSE(group().is_live);
  EXPECT_FALSE(group().is_left);
  take(PodDeleted{"uid-train-0"});
  take_pods(train.self, 2);
  EXPECT_FALSE(pod("train-0").group.empty()) << "the other pod still names the owner";
  take(PodDeleted{"uid-train-0"});
  take(PodDeleted{"uid-train-1"});
  EXPECT_TRUE(gangs().groups().empty());
  wait(Duration());
  take_pods(train.self, 1);
  EXPECT_EQ(pod("train-0").gang_fault, "Job ml/train has not been seen yet") << "it is forgotten";
}

TEST_F(OwnedGangsTest, OWNED12_AnOwnerThatIsGoneIsForgottenWithItsLastPodWhateverThePodNames) {
  const OwnerReference group_of_pods =
      reference("leaderworkerset.x-k8s.io/v1", "LeaderWorkerSet", "serve");
  OwnerObject set = owner_of(group_of_pods, 1);
  set.gang = wish("all");
  OwnerObject train = job("train", 1);
  train.gang = wish("2");
  take(set);
  take(train);
  PodObject labelled = pod_of(reference("apps/v1", "StatefulSet", "serve"), "serve-0");
  labelled.labels = {{"leaderworkerset.sigs.k8s.io/name", "serve"},
                     {"leaderworkerset.sigs.k8s.io/group-index", "0"}};
  labelled.gang = wish("2");
  take(labelled);
  PodObject orphan = pod_of(train.self, "train-0");
  take(orphan);
  EXPECT_EQ(gangs().groups().size(), 2U);
  take(OwnerDeleted{set.uid});
  take(OwnerDeleted{train.uid});
  EXPECT_EQ(gangs().groups().size(), 2U);
  take(PodDeleted{labelled.uid});
  orphan.owner = {};  // kubectl delete --cascade=orphan
  orphan.gang = wish("2");
  take(orphan);
  EXPECT_TRUE(gangs().groups().empty());
  take(labelled);
  EXPECT_EQ(pod("serve-0").gang_fault, "LeaderWorkerSet ml/serve has not been seen yet");
  orphan.owner = train.self;
  take(orphan);
  EXPECT_EQ(pod("train-0").gang_fault, "Job ml/train has not been seen yet");
}

TEST_F(OwnedGangsTest, PodsOfOtherSchedulersAreLeftAlone) {
  OwnerObject train = job("train", 2);
  train.gang = wish("all");
  take(train);
  PodObject other = pod_of(train.self, "train-0");
  other.scheduler_name = "default-scheduler";
  take(other);
  EXPECT_TRUE(pod("train-0").group.empty());
  EXPECT_TRUE(gangs().groups().empty());
}

// Its results depend only on the objects, not on the order in which they come.
TEST_F(OwnedGangsTest, OWNED8_TheOrderOfEventsDoesNotMatter) {
  std::vector<ClusterEvent> events;
  OwnerObject set = owner_of(reference("jobset.x-k8s.io/v1alpha2", "JobSet", "set"), 4);
  set.gang = wish("all");
  set.queue.local_queue = "q";
  for (int j = 0; j < 2; ++j) {
    OwnerObject part = job("set-" + std::to_string(j), 2);
    part.controller = set.self;
    events.emplace_back(part);
    for (int i = 0; i < 2; ++i) {
      events.emplace_back(pod_of(part.self, part.self.name + "-" + std::to_string(i)));
    }
  }
  events.emplace_back(set);
  OwnerObject plain = job("plain", 3);
  events.emplace_back(plain);
  for (int i = 0; i < 3; ++i) {
    PodObject pod = pod_of(plain.self, "plain-" + std::to_string(i));
    if (i > 0) pod.gang = wish(std::to_string(i + 1));
    events.emplace_back(pod);
  }
  QueueObject queue;
  queue.name = "q";
  events.emplace_back(queue);
  events.emplace_back(NamespaceObject{"ml", "n"});
  for (const ClusterEvent& event : events) take(event);
  const auto pods = given_;
  const auto groups = gangs().groups();
  EXPECT_EQ(groups.size(), 2U);
  std::mt19937 random(7);
  for (int round = 0; round < 200; ++round) {
    std::shuffle(events.begin(), events.end(), random);
    OwnedGangs other(options_);
    std::map<std::string, PodObject> given;
    const OwnedGangs::Give keep = [&](const ClusterEvent& event) {
      if (const auto* pod = std::get_if<PodObject>(&event)) given[pod->uid] = *pod;
    };
    for (const ClusterEvent& event : events) other.take(event, kStart, keep);
    ASSERT_EQ(given, pods);
    ASSERT_EQ(other.groups(), groups);
  }
}

}  // namespace
}  // namespace berth::mirror
