#include "steering/steering.h"

#include <gtest/gtest.h>

#include "steering/steering_fixture.h"

namespace berth::steering {
namespace {

TEST_F(SteeringTest, STEER1WhoDoesNotLeadWritesNothing) {
  post_last_of_two();
  plan({{"g-0", "n1"}});
  EXPECT_TRUE(rounds().empty());
}

TEST_F(SteeringTest, STEER2APlannedPodIsNominatedBeforeItIsCommitted) {
  start_leading();
  post_last_of_two();
  plan({{"g-0", "n1"}});
  round();
  EXPECT_EQ(api_.take(), Texts{"nominate g-0 on n1"});
  EXPECT_FALSE(answers_.empty());
  EXPECT_EQ(rounds(), Texts{"commit g-0 on n1"});
  EXPECT_TRUE(rounds().empty()) << "what is done is not done again";
}

TEST_F(SteeringTest, STEER2ANominationThatIsThereIsNotWritten) {
  start_leading();
  post(make_group("g", 2));
  post(daemon::running_on(member(1, false), "n2"));
  plan({});
  round();  // the first, which clears what is stale
  PodObject pod = member(0);
  pod.nominated_node = "n1";
  post(pod);
  plan({{"g-0", "n1"}});
  EXPECT_EQ(rounds(), Texts{"commit g-0 on n1"});
}

TEST_F(SteeringTest, STEER2APodThatNobodyWaitsForIsNotNominated) {
  start_leading();
  post_gang(1, 1);
  plan({{"g-0", "n1"}});
  EXPECT_EQ(rounds(), Texts{"commit g-0 on n1"});
  post(PlacementDropped{"g-0", "n1", "given up"});
  EXPECT_TRUE(rounds().empty()) << "nor is there anything to clear";
}

TEST_F(SteeringTest, STEER2WhereNodesAreManySuchAPodIsNominatedToo) {
  start_leading();
  for (int i = 0; i < 500; ++i) post(make_node("more-" + std::to_string(i), 1));
  post_gang(1, 1);
  plan({{"g-0", "n1"}});
  EXPECT_EQ(rounds(), (Texts{"nominate g-0 on n1", "commit g-0 on n1"}));
}

TEST_F(SteeringTest, STEER2ANominationOfAnotherNodeIsOverwrittenEvenIfNobodyWaits) {
  start_leading();
  post_gang(1, 1);
  PodObject pod = member(0);
  pod.nominated_node = "n2";
  post(pod);
  plan({{"g-0", "n1"}});
  EXPECT_EQ(rounds(), (Texts{"nominate g-0 on n1", "commit g-0 on n1"}));
}

TEST_F(SteeringTest, STEER3NobodyIsCommittedBeforeTheMinimumIsNominated) {
  start_leading();
  post_gang(3, 3);
  plan({{"g-0", "n1"}, {"g-1", "n1"}, {"g-2", "n2"}});
  api_.answers_at_once = false;
  round();
  ASSERT_EQ(api_.writes.size(), 3u);
  auto writes = std::move(api_.writes);
  api_.writes.clear();
  writes[0].done({});
  writes[1].done({});
  EXPECT_TRUE(rounds().empty());
  writes[2].done({});
  EXPECT_EQ(rounds(), (Texts{"commit g-0 on n1", "commit g-1 on n1", "commit g-2 on n2"}));
}

TEST_F(SteeringTest, STEER3ALateMemberGoesByItself) {
  start_leading();
  post_gang(2, 2);
  plan({{"g-0", "n1"}, {"g-1", "n1"}});
  rounds();
  for (int i = 0; i < 2; ++i) post(daemon::running_on(member(i, false), "n1"));
  post(member(2));
  plan({{"g-2", "n2"}});
  EXPECT_EQ(rounds(), (Texts{"nominate g-2 on n2", "commit g-2 on n2"}));
}

TEST_F(SteeringTest, STEER4WhoseRoomWasTakenIsDroppedAndNotCommitted) {
  start_leading();
  post_last_of_two();
  plan({{"g-0", "n1"}});
  api_.answers_at_once = false;
  round();
  PodObject thief = make_member("x", 0, 4);
  thief.scheduler_name = "default-scheduler";
  post(daemon::running_on(thief, "n1"));
  api_.writes.at(0).done({});
  api_.take();
  api_.answers_at_once = true;
  const auto drops = round();
  ASSERT_EQ(drops.size(), 1u);
  EXPECT_EQ(drops[0].pod_uid, "g-0");
  EXPECT_FALSE(drops[0].is_vetoed);
  EXPECT_EQ(rounds(), Texts{"nominate g-0"}) << "STEER-7: and its nomination is taken back";
}

TEST_F(SteeringTest, STEER6ACommitCarriesTheEpochAndIsLikeNoOther) {
  start_leading(7);
  post_gang(2, 2);
  plan({{"g-0", "n1"}, {"g-1", "n1"}});
  round();
  api_.take();
  round();
  round();
  std::vector<std::uint64_t> numbers;
  for (const Api::Sent& each : api_.writes) {
    EXPECT_EQ(each.content.kind, Kind::commit);
    EXPECT_EQ(each.write.epoch, 7u);
    EXPECT_EQ(each.write.object.name_space, "ml");
    numbers.push_back(each.write.number);
  }
  ASSERT_EQ(numbers.size(), 2u);
  EXPECT_NE(numbers[0], numbers[1]);
}

TEST_F(SteeringTest, STEER6APodThatCameUngatedIsCommittedToo) {
  start_leading();
  post_last_of_two(false);
  plan({{"g-0", "n1"}});
  EXPECT_EQ(rounds(), (Texts{"nominate g-0 on n1", "commit g-0 on n1"}));
}

TEST_F(SteeringTest, STEER6WhoIsDroppedAndPlannedAtOnceIsCommittedAgain) {
  start_leading();
  post_last_of_two();
  plan({{"g-0", "n1"}});
  rounds();
  post(PlacementDropped{"g-0", "n1", "the barrier gave up"});
  plan({{"g-0", "n1"}});
  EXPECT_EQ(rounds(), (Texts{"nominate g-0 on n1", "commit g-0 on n1"}));
}

TEST_F(SteeringTest, STEER7ADeletedPodIsLeftAlone) {
  start_leading();
  post_last_of_two();
  plan({{"g-0", "n1"}});
  round();
  api_.take();
  post(PodDeleted{"g-0"});
  EXPECT_TRUE(rounds().empty());
  EXPECT_EQ(steering_.under_way(), 0u);
}

TEST_F(SteeringTest, STEER7ALostNodeEndsTheNominationThere) {
  start_leading();
  post_last_of_two();
  plan({{"g-0", "n1"}});
  rounds();
  post(NodeDeleted{"n1"});
  EXPECT_EQ(rounds(), Texts{"nominate g-0"});
}

TEST_F(SteeringTest, STEER7WhoIsPlannedElsewhereIsNominatedThereAndNotCleared) {
  start_leading();
  post_last_of_two();
  plan({{"g-0", "n1"}});
  rounds();
  post(NodeDeleted{"n1"});
  plan({{"g-0", "n2"}});
  EXPECT_EQ(rounds(), (Texts{"nominate g-0 on n2", "commit g-0 on n2"}));
}

TEST_F(SteeringTest, STEER8AfterAChangeOfKubeSchedulerGatedPlannedPodsAreTouched) {
  start_leading();
  post_gang(2, 2);
  post(member(1, false));  // somebody took its gate off
  plan({{"g-0", "n1"}, {"g-1", "n1"}});
  api_.answers_at_once = false;
  round();
  const auto first = std::move(api_.writes);
  api_.writes.clear();
  first[0].done({});  // the other stays on its way: nothing can be committed
  steering_.kube_scheduler_changed();
  EXPECT_EQ(rounds(), Texts{"touch g-0"});
}

TEST_F(SteeringTest, STEER9AFailedWriteIsTriedAgainAfterAWhile) {
  start_leading();
  post_last_of_two();
  plan({{"g-0", "n1"}});
  api_.outcome = {WriteResult::failed, "nominate ml/g-0: 500"};
  round();
  EXPECT_EQ(api_.take(), Texts{"nominate g-0 on n1"});
  EXPECT_TRUE(rounds().empty());
  EXPECT_EQ(logged_, Texts{"nominate ml/g-0: 500; tried again"});
  now_ += std::chrono::milliseconds(200);
  EXPECT_EQ(rounds(), Texts{"nominate g-0 on n1"});
  now_ += std::chrono::milliseconds(200);
  EXPECT_TRUE(rounds().empty()) << "the second wait is longer";
  api_.outcome = {};
  now_ += std::chrono::milliseconds(200);
  EXPECT_EQ(rounds(), (Texts{"nominate g-0 on n1", "commit g-0 on n1"}));
}

TEST_F(SteeringTest, STEER9AWriteOnAPodThatIsGoneIsNotRepeated) {
  start_leading();
  post_last_of_two();
  plan({{"g-0", "n1"}});
  api_.outcome = {WriteResult::gone, "not found"};
  round();
  api_.take();
  post(PodDeleted{"g-0"});
  now_ += std::chrono::minutes(1);
  EXPECT_TRUE(rounds().empty());
}

TEST_F(SteeringTest, STEER9WritesOnAPodDoNotOvertakeEachOther) {
  start_leading();
  post_last_of_two();
  plan({{"g-0", "n1"}});
  api_.answers_at_once = false;
  round();
  auto late = api_.writes.at(0).done;
  api_.take();
  post(PlacementDropped{"g-0", "n1", "given up"});
  plan({{"g-0", "n2"}});
  EXPECT_TRUE(rounds().empty()) << "the first is still under way";
  late({});
  round();
  EXPECT_EQ(api_.take(), Texts{"nominate g-0 on n2"}) << "and says nothing of n2";
}

TEST_F(SteeringTest, STEER7ANominationUnderWayIsTakenBackOnceItHasArrived) {
  start_leading();
  post_last_of_two();
  plan({{"g-0", "n1"}});
  api_.answers_at_once = false;
  round();
  auto late = api_.writes.at(0).done;
  api_.take();
  post(PlacementDropped{"g-0", "n1", "given up"});
  EXPECT_TRUE(rounds().empty());
  late({});
  round();
  EXPECT_EQ(api_.take(), Texts{"nominate g-0"});
}

TEST_F(SteeringTest, STEER7ANominationThatShowsUpWithoutAPlanIsTakenBack) {
  start_leading();
  post_last_of_two();
  EXPECT_TRUE(rounds().empty());
  PodObject pod = member(0);
  pod.nominated_node = "n2";  // an earlier leader's write that was slow to arrive
  post(pod);
  EXPECT_EQ(rounds(), Texts{"nominate g-0"});
}

TEST_F(SteeringTest, STEER2ANominationThatIsLostIsWrittenAgain) {
  start_leading();
  post_last_of_two();
  plan({{"g-0", "n1"}});
  rounds();
  PodObject pod = member(0, false);
  pod.nominated_node = "n1";
  post(pod);
  pod.nominated_node.clear();  // by kube-scheduler, after an attempt that failed
  post(pod);
  EXPECT_EQ(rounds(), (Texts{"nominate g-0 on n1", "commit g-0 on n1"}));
}

TEST_F(SteeringTest, STEER1AnOutcomeCarriesOnWithItsGangAlone) {
  start_leading();
  post_gang(2, 2);
  post(make_group("h", 2));
  for (int i = 0; i < 2; ++i) {
    PodObject pod = make_member("h", i);
    pod.gates = {"berth.dev/plan"};
    post(pod);
  }
  plan({{"g-0", "n1"}, {"g-1", "n1"}, {"h-0", "n2"}, {"h-1", "n2"}});
  api_.answers_at_once = false;
  round();
  auto writes = std::move(api_.writes);
  api_.writes.clear();
  ASSERT_EQ(writes.size(), 4u);
  follow_up();
  EXPECT_TRUE(api_.take().empty());
  for (Api::Sent& each : writes) {
    if (each.write.object.uid.starts_with("g")) each.done({});
  }
  follow_up();
  EXPECT_EQ(api_.take(), (Texts{"commit g-0 on n1", "commit g-1 on n1"}));
}

TEST_F(SteeringTest, STEER4AnOutcomeFindsWhoseRoomWasTaken) {
  start_leading();
  post_gang(2, 2);
  plan({{"g-0", "n1"}, {"g-1", "n2"}});
  api_.answers_at_once = false;
  round();
  auto writes = std::move(api_.writes);
  api_.writes.clear();
  NodeObject cordoned = make_node("n2", 4);
  cordoned.unschedulable = true;
  post(cordoned);
  round();
  for (Api::Sent& each : writes) each.done({});
  const auto drops = follow_up();
  ASSERT_EQ(drops.size(), 1u);
  EXPECT_EQ(drops[0].pod_uid, "g-1");
  EXPECT_TRUE(api_.take().empty());
}

TEST_F(SteeringTest, STEER4WhileOneMemberHasLostItsPlaceNobodyIsCommitted) {
  start_leading();
  post_gang(3, 3);
  plan({{"g-0", "n1"}, {"g-1", "n1"}, {"g-2", "n2"}});
  api_.answers_at_once = false;
  round();
  auto writes = std::move(api_.writes);
  api_.writes.clear();
  NodeObject cordoned = make_node("n2", 4);
  cordoned.unschedulable = true;
  post(cordoned);
  for (Api::Sent& each : writes) each.done({});
  const auto drops = round();
  ASSERT_EQ(drops.size(), 1u);
  EXPECT_EQ(drops[0].pod_uid, "g-2");
  EXPECT_TRUE(api_.take().empty());
}

TEST_F(SteeringTest, STEER4OnlyATolerationOfTheCordonPassesACordonedNode) {
  const auto drops_with = [this](const Toleration& toleration) {
    PodObject pod = member(0);
    // FIT-5. Admission gives the first two to every pod.
    pod.constraints.tolerations = {
        {"node.kubernetes.io/not-ready", true, "", TaintEffect::no_execute},
        {"node.kubernetes.io/unreachable", true, "", TaintEffect::no_execute},
        toleration};
    post(make_group("g", 1));
    post(make_node("n2", 4));
    post(pod);
    plan({{"g-0", "n2"}});
    NodeObject cordoned = make_node("n2", 4);
    cordoned.unschedulable = true;
    post(cordoned);
    const std::size_t drops = round().size();
    post(PodDeleted{"g-0"});
    return drops;
  };
  start_leading();
  EXPECT_EQ(drops_with({"gpu", true, "", TaintEffect::any}), 1u);
  EXPECT_EQ(drops_with({"node.kubernetes.io/unschedulable", true, "", TaintEffect::no_schedule}),
            0u);
}

}  // namespace
}  // namespace berth::steering
