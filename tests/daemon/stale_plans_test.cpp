#include "daemon/stale_plans.h"

#include <gtest/gtest.h>

#include "daemon/objects.h"

namespace berth::daemon {
namespace {

using std::chrono::seconds;

TimePoint at(int second) { return TimePoint(seconds(second)); }

// A gang of three of which two are planned: the third was vetoed and finds no other place.
class StalePlansTest : public testing::Test {
 protected:
  void SetUp() override {
    mirror_.apply(make_node("n1", 4));
    add_gang(mirror_, make_group("g", 3), 3);
    assume(mirror_, {{"g-0", "n1"}, {"g-1", "n1"}});
    refused_.refusals = {refusal_of(mirror_, "g", Reason::gang_incomplete, 2, 3)};
  }
  std::vector<PlacementDropped> due(const Plan& plan, TimePoint now) {
    mirror_.settle(TimePoint());
    return stale_.due(plan, mirror_.cluster(), now);
  }

  mirror::Mirror mirror_;
  StalePlans stale_{seconds(10)};
  Plan refused_;
};

TEST_F(StalePlansTest, RoomIsGivenBackAfterItsPatience) {
  EXPECT_TRUE(due(refused_, at(100)).empty());
  EXPECT_TRUE(due(refused_, at(109)).empty());
  const auto drops = due(refused_, at(110));
  ASSERT_EQ(drops.size(), 2u);
  EXPECT_EQ(drops[0].pod_uid, "g-0");
  EXPECT_EQ(drops[0].node, "n1");
  EXPECT_EQ(drops[1].pod_uid, "g-1");
}

TEST_F(StalePlansTest, PatienceBeginsAnewWhenAnotherSessionCompletedIt) {
  EXPECT_TRUE(due(refused_, at(100)).empty());
  EXPECT_TRUE(due(Plan{}, at(105)).empty());  // not refused in between
  EXPECT_TRUE(due(refused_, at(112)).empty());
  EXPECT_TRUE(due(refused_, at(121)).empty());
  EXPECT_EQ(due(refused_, at(122)).size(), 2u);
}

TEST_F(StalePlansTest, NotWhenAMemberRuns) {
  EXPECT_TRUE(due(refused_, at(100)).empty());
  mirror_.apply(running_on(make_member("g", 0), "n1"));
  EXPECT_TRUE(due(refused_, at(200)).empty());
}

TEST_F(StalePlansTest, NotWhenTheMinimumIsPlannedAndOnlySurplusIsRefused) {
  mirror_.apply(make_group("g", 2));
  EXPECT_TRUE(due(refused_, at(100)).empty());
  EXPECT_TRUE(due(refused_, at(200)).empty());
}

TEST_F(StalePlansTest, NotWhenNothingIsPlanned) {
  for (const char* pod : {"g-0", "g-1"}) mirror_.apply(PlacementDropped{pod, "n1", "vetoed"});
  EXPECT_TRUE(due(refused_, at(100)).empty());
  EXPECT_TRUE(due(refused_, at(200)).empty());
}

class LostPlacesTest : public testing::Test {
 protected:
  void SetUp() override {
    mirror_.apply(make_node("n1", 4));
    add_gang(mirror_, make_group("g", 3), 3);
    assume(mirror_, {{"g-0", "n1"}, {"g-1", "n1"}, {"g-2", "n1"}});
  }
  std::vector<std::string> lost() {
    mirror_.settle(TimePoint());
    std::vector<std::string> texts;
    const auto is_being_bound = [this](const Task& task) { return task.uid == being_bound_; };
    for (const PlacementDropped& drop : lost_places(mirror_.cluster(), is_being_bound)) {
      texts.push_back(drop.pod_uid + ": " + drop.reason);
    }
    return texts;
  }

  mirror::Mirror mirror_;
  std::string being_bound_;
};

TEST_F(LostPlacesTest, STEER15NoneWhileTheNodeTakesThem) {
  EXPECT_TRUE(lost().empty());
  mirror_.apply(running_on(make_member("other", 0), "n1"));
  EXPECT_TRUE(lost().empty()) << "4 of 4 cpu";
}

TEST_F(LostPlacesTest, STEER15AsFewLeaveATakenNodeAsItTakes) {
  mirror_.apply(running_on(make_member("other", 0), "n1"));
  mirror_.apply(running_on(make_member("other", 1), "n1"));
  EXPECT_EQ(lost(), std::vector<std::string>{"g-0: its node was taken before it was bound"});
  mirror_.apply(make_node("n1", 3));
  EXPECT_EQ(lost().size(), 2U) << "made smaller";
}

TEST_F(LostPlacesTest, STEER15AnotherLeavesForOneThatIsBeingBound) {
  mirror_.apply(running_on(make_member("other", 0), "n1"));
  mirror_.apply(running_on(make_member("other", 1), "n1"));
  being_bound_ = "g-0";
  EXPECT_EQ(lost(), std::vector<std::string>{"g-1: its node was taken before it was bound"});
}

TEST_F(LostPlacesTest, STEER15AllLeaveANodeThatIsCordoned) {
  NodeObject node = make_node("n1", 4);
  node.unschedulable = true;
  mirror_.apply(node);
  EXPECT_EQ(lost().size(), 3U);
}

TEST_F(LostPlacesTest, STEER15AllLeaveANodeThatIsTainted) {
  NodeObject node = make_node("n1", 4);
  node.taints = {{"maintenance", "", TaintEffect::no_schedule}};
  mirror_.apply(node);
  EXPECT_EQ(lost().size(), 3U);
}

TEST_F(LostPlacesTest, STEER15AGangWhosePodGroupIsGoneIsNotBoundInPart) {
  mirror_.apply(PodGroupDeleted{make_group("g", 3).full_name()});
  EXPECT_EQ(lost().size(), 3U);
}

class UnclaimedPlansTest : public StalePlansTest {
 protected:
  std::size_t drops(TimePoint now) {
    mirror_.settle(TimePoint());
    return unclaimed_
        .due(
            mirror_.cluster(), now, [this](const Job&) { return written_; },
            [this](const Task& task) { return task.uid == being_bound_; },
            [this] { return is_up_to_date_; })
        .size();
  }

  UnclaimedPlans unclaimed_{seconds(30)};
  TimePoint written_;  // when the last of its writes was done
  bool is_up_to_date_ = true;
  std::string being_bound_;
};

// Its pods may be bound, and run.
TEST_F(UnclaimedPlansTest, HINT3NothingIsGivenBackWhileTheWatchesAreBehind) {
  EXPECT_EQ(drops(at(100)), 0u);
  is_up_to_date_ = false;
  EXPECT_EQ(drops(at(140)), 0u);
  mirror_.apply(running_on(make_member("g", 0), "n1"));
  is_up_to_date_ = true;
  EXPECT_EQ(drops(at(141)), 0u) << "it was progress";
  is_up_to_date_ = false;
  EXPECT_EQ(drops(at(180)), 0u);
  is_up_to_date_ = true;
  EXPECT_EQ(drops(at(181)), 1u);
}

TEST_F(UnclaimedPlansTest, PodsThatNobodyBindsGiveTheirRoomBack) {
  EXPECT_EQ(drops(at(100)), 0u);
  EXPECT_EQ(drops(at(129)), 0u);
  EXPECT_EQ(drops(at(130)), 2u);
  EXPECT_EQ(drops(at(131)), 0u) << "patience begins anew";
}

TEST_F(UnclaimedPlansTest, HINT3ABindingThatIsNeverShownIsWaitedForTwiceAsLong) {
  EXPECT_EQ(drops(at(100)), 0u);
  being_bound_ = "g-1";
  EXPECT_EQ(drops(at(159)), 0u);
  EXPECT_EQ(drops(at(160)), 2u);
}

TEST_F(UnclaimedPlansTest, ProgressBeginsTheirPatienceAnew) {
  EXPECT_EQ(drops(at(100)), 0u);
  mirror_.apply(running_on(make_member("g", 0), "n1"));
  EXPECT_EQ(drops(at(120)), 0u);
  EXPECT_EQ(drops(at(149)), 0u);
  EXPECT_EQ(drops(at(150)), 1u) << "the one that is still planned";
}

TEST_F(UnclaimedPlansTest, NobodyIsExpectedBeforeTheLastWrite) {
  EXPECT_EQ(drops(at(100)), 0u);
  written_ = at(125);  // its commits were still queued
  EXPECT_EQ(drops(at(130)), 0u);
  EXPECT_EQ(drops(at(154)), 0u);
  EXPECT_EQ(drops(at(155)), 2u);
}

// One kube-scheduler tries all planned pods one after the other.
TEST_F(UnclaimedPlansTest, ManyPlannedPodsAreGivenMoreTime) {
  mirror_.apply(make_node("large", 1000));
  add_gang(mirror_, make_group("wave", 1000), 1000);
  std::vector<std::pair<std::string, std::string>> places;
  for (int i = 0; i < 1000; ++i) places.emplace_back("wave-" + std::to_string(i), "large");
  assume(mirror_, places);
  EXPECT_EQ(drops(at(100)), 0u);
  EXPECT_EQ(drops(at(139)), 0u) << "30 s, and 10 s for 1,002 pods";
  EXPECT_EQ(drops(at(140)), 1002u);
}

class BrokenGangsTest : public StalePlansTest {
 protected:
  std::vector<std::string> evicted(TimePoint now) {
    mirror_.settle(TimePoint());
    std::vector<std::string> pods;
    for (const TaskId task : broken_.due(mirror_.cluster(), now)) {
      pods.push_back(mirror_.cluster().task(task).uid);
    }
    return pods;
  }
  void bind(int index, TimePoint when = at(100)) {
    PodObject pod = make_member("g", index);
    pod.node_name = "n1";
    pod.scheduled = when;
    mirror_.apply(pod);
  }

  BrokenGangs broken_{seconds(60)};
};

TEST_F(BrokenGangsTest, WhatWasNeverWholeIsGivenUpAfterAWhile) {
  bind(0);
  mirror_.apply(PlacementDropped{"g-1", "n1", "its Binding was refused"});
  EXPECT_TRUE(evicted(at(100)).empty());
  EXPECT_TRUE(evicted(at(159)).empty());
  EXPECT_EQ(evicted(at(160)), std::vector<std::string>{"g-0"});
}

TEST_F(BrokenGangsTest, EVICT5WhatWasGivenUpIsNotNamedAgain) {
  bind(0);
  mirror_.apply(PlacementDropped{"g-1", "n1", "its Binding was refused"});
  EXPECT_TRUE(evicted(at(100)).empty());
  EXPECT_EQ(evicted(at(160)), std::vector<std::string>{"g-0"});
  mirror_.assume_eviction(mirror_.find_task("g-0"), at(160));
  EXPECT_TRUE(evicted(at(161)).empty());
  EXPECT_TRUE(evicted(at(260)).empty());
  mirror_.apply(EvictionRefused{"g-0", "its disruption budget"});
  EXPECT_EQ(evicted(at(261)), std::vector<std::string>{"g-0"}) << "a refusal is no progress";
}

TEST_F(BrokenGangsTest, EVICT3WhoWasRefusedIsNamedAgainAfterAWhile) {
  bind(0);
  mirror_.apply(PlacementDropped{"g-1", "n1", "its Binding was refused"});
  mirror_.assume_eviction(mirror_.find_task("g-0"), at(150));
  mirror_.apply(EvictionRefused{"g-0", "its disruption budget"});
  mirror_.settle(at(150));
  EXPECT_TRUE(evicted(at(149)).empty());
  EXPECT_TRUE(evicted(at(209)).empty());
  EXPECT_EQ(evicted(at(210)), std::vector<std::string>{"g-0"});
}

TEST_F(BrokenGangsTest, PDB1APodStaysIfItsBudgetAllowsNoDisruption) {
  bind(0);
  mirror_.apply(PlacementDropped{"g-1", "n1", "its Binding was refused"});
  BudgetObject budget;
  budget.name_space = "ml";
  budget.name = budget.uid = "none-away";
  budget.selector = std::vector<Expression>{};
  mirror_.apply(budget);
  EXPECT_TRUE(evicted(at(100)).empty());
  EXPECT_TRUE(evicted(at(160)).empty());
  budget.allowed = 1;
  mirror_.apply(budget);
  EXPECT_EQ(evicted(at(161)), std::vector<std::string>{"g-0"});
}

TEST_F(BrokenGangsTest, WhileAnotherIsPlannedThereIsHope) {
  bind(0);  // g-1 still has its place
  EXPECT_TRUE(evicted(at(100)).empty());
  EXPECT_TRUE(evicted(at(300)).empty());
}

// kube-scheduler may be away for minutes, and not for ever.
TEST_F(BrokenGangsTest, PlansThatFailAgainAndAgainAreHopeForFiveTimesAsLong) {
  bind(0);
  for (int s = 100; s < 400; s += 30) {
    assume(mirror_, {{"g-1", "n1"}});
    EXPECT_TRUE(evicted(at(s)).empty());
    mirror_.apply(PlacementDropped{"g-1", "n1", "nobody came to bind it"});
    EXPECT_TRUE(evicted(at(s + 29)).empty());
    EXPECT_TRUE(broken_.awaits_a_time());
  }
  EXPECT_EQ(evicted(at(400)), std::vector<std::string>{"g-0"});
}

// A session may repeat the plan when its pause is over, at the same moment.
TEST_F(BrokenGangsTest, TheTimeBeginsWhenNoPlanIsSeen) {
  bind(0);
  EXPECT_TRUE(evicted(at(100)).empty());
  mirror_.apply(PlacementDropped{"g-1", "n1", "refused"});
  EXPECT_TRUE(evicted(at(101)).empty());
  EXPECT_TRUE(evicted(at(160)).empty());
  EXPECT_EQ(evicted(at(161)), std::vector<std::string>{"g-0"});
}

// Others may be leaving for it.
TEST_F(BrokenGangsTest, ClaimsAreHopeAsWell) {
  bind(0);
  mirror_.apply(PlacementDropped{"g-1", "n1", "refused"});
  Plan claim;
  claim.pipelined = {{mirror_.find_task("g-2"), mirror_.cluster().find_node("n1")}};
  mirror_.assume(claim, at(100));
  EXPECT_TRUE(evicted(at(100)).empty());
  EXPECT_TRUE(evicted(at(399)).empty());
  EXPECT_EQ(evicted(at(400)), std::vector<std::string>{"g-0"});
}

TEST_F(BrokenGangsTest, LeadersThatComeAndGoDoNotProlongIt) {
  bind(0);
  EXPECT_TRUE(evicted(at(100)).empty());
  mirror_.forget_plans();
  mirror_.settle(TimePoint());
  const JobId job = mirror_.find_group("ml/g");
  broken_.stand_by(mirror_.cluster(), {job}, at(110));
  broken_.stand_by(mirror_.cluster(), {}, at(390));
  EXPECT_TRUE(evicted(at(399)).empty()) << "the other may have had a plan";
  EXPECT_EQ(evicted(at(400)), std::vector<std::string>{"g-0"});
}

// Leaders may come and go with their processes.
TEST_F(BrokenGangsTest, ABerthdThatBeginsKnowsByThePodsWhenTheyWereBound) {
  bind(0, at(50));
  assume(mirror_, {{"g-1", "n1"}});
  EXPECT_TRUE(evicted(at(349)).empty());
  mirror_.apply(PlacementDropped{"g-1", "n1", "nobody came to bind it"});
  EXPECT_TRUE(evicted(at(368)).empty()) << "20 seconds are left at least";
  EXPECT_EQ(evicted(at(369)), std::vector<std::string>{"g-0"});
}

// A gang that was evicted, and has a new member already.
TEST_F(BrokenGangsTest, MembersThatLeaveSayNothingOfWhenTheGangWasBound) {
  PodObject old = make_member("g", 0);
  old.node_name = "n1";
  old.scheduled = at(10);
  old.terminating = true;
  mirror_.apply(old);
  bind(1, at(1000));
  mirror_.apply(PlacementDropped{"g-2", "n1", "refused"});
  EXPECT_TRUE(evicted(at(1000)).empty());
  EXPECT_TRUE(evicted(at(1059)).empty());
}

TEST_F(BrokenGangsTest, AnotherJobOfTheSameIdBeginsAnew) {
  bind(0);
  mirror_.apply(PlacementDropped{"g-1", "n1", "refused"});
  EXPECT_TRUE(evicted(at(100)).empty());
  mirror_.apply(PodGroupDeleted{"ml/g"});
  PodGroupObject again = make_group("g", 3);
  again.uid = "again";
  mirror_.apply(again);
  EXPECT_TRUE(evicted(at(160)).empty());
  EXPECT_EQ(evicted(at(220)), std::vector<std::string>{"g-0"});
}

TEST_F(BrokenGangsTest, WhatWasWholeOnceIsItsFrameworksBusiness) {
  mirror_.apply(make_group("g", 1));
  bind(0);
  mirror_.settle(TimePoint());  // Running
  mirror_.apply(make_group("g", 3));
  mirror_.apply(PlacementDropped{"g-1", "n1", "gone"});
  EXPECT_TRUE(evicted(at(100)).empty());
  EXPECT_TRUE(evicted(at(300)).empty());
}

}  // namespace
}  // namespace berth::daemon
