#include "extender/roster.h"

#include <gtest/gtest.h>

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "extender/support.h"
#include "support/jumping_clock.h"

namespace berth::extender {
namespace {

using std::chrono::seconds;
using test::binding_of;
using test::node_name;
using test::PlanBuilder;
using test::uid_of;

// A roster and the records of what it asked for. Calls are named by the test.
class RosterTest : public ::testing::Test {
 protected:
  void start(const PlanBuilder& plan) {
    roster_ = std::make_unique<Roster>(BarrierLimits{}, plan.build(), moves_);
  }
  CallId arrive(const std::string& call, const std::string& pod, const std::string& node) {
    Roster::Effects effects;
    const CallId id = roster_->arrive(
        binding_of(pod, node), now_,
        [this, call](const std::string& error) {
          EXPECT_EQ(answers_.count(call), 0u) << call << " was answered twice";
          answers_[call] = error;
        },
        effects);
    carry_out(std::move(effects));
    return id;
  }
  // Member `index` of gang "g", on its planned node; the call is named as the pod.
  CallId arrive(int index) {
    const std::string pod = "g-" + std::to_string(index);
    return arrive(pod, pod, node_name(index));
  }
  void finish(const std::string& pod, bool bound, const std::string& error = "") {
    Roster::Effects effects;
    roster_->outcome(uid_of(pod), {bound, error}, effects);
    carry_out(std::move(effects));
  }
  void wait(Duration by) {
    now_ += by;
    Roster::Effects effects;
    roster_->expire(now_, effects);
    carry_out(std::move(effects));
  }
  void leave(CallId call) {
    Roster::Effects effects;
    roster_->leave(call, effects);
    carry_out(std::move(effects));
  }
  void replan(const PlanBuilder& plan) {
    Roster::Effects effects;
    roster_->follow(plan.build(), effects);
    carry_out(std::move(effects));
  }
  // "g-0@worker-…", in the order asked, since the last call.
  std::vector<std::string> bound() { return std::exchange(binds_, {}); }
  std::size_t bind_count() { return bound().size(); }

  Moves moves_;
  std::unique_ptr<Roster> roster_;
  TimePoint now_ = TimePoint(seconds(1'000'000));
  std::map<std::string, std::string> answers_;
  std::vector<std::string> binds_;
  std::vector<std::uint64_t> epochs_;  // of all binds
  std::vector<PlacementDropped> drops_;

 private:
  void carry_out(Roster::Effects effects) {
    for (const auto& binding : effects.binds) {
      binds_.push_back(binding.name + "@" + binding.node);
      epochs_.push_back(binding.epoch);
    }
    for (auto& [answer, error] : effects.answers) answer(error);
    drops_.insert(drops_.end(), effects.drops.begin(), effects.drops.end());
  }
};

TEST_F(RosterTest, BARRIER1AGangOfEightIsBoundWithItsEighthMember) {
  start(PlanBuilder().gang("g", 8, 8));
  for (int index = 0; index < 7; ++index) arrive(index);
  EXPECT_EQ(bind_count(), 0u);
  EXPECT_EQ(roster_->held(), 7u);
  arrive(7);
  EXPECT_EQ(bind_count(), 8u);
  EXPECT_EQ(roster_->binding(), 8u);
  EXPECT_TRUE(answers_.empty());
  for (int index = 0; index < 8; ++index) finish("g-" + std::to_string(index), true);
  EXPECT_EQ(answers_.size(), 8u);
  for (const auto& [call, error] : answers_) EXPECT_EQ(error, "") << call;
}

TEST_F(RosterTest, BARRIER1BindsGoOutInTheOrderOfTheCalls) {
  start(PlanBuilder().gang("g", 3, 3));
  arrive(2);
  arrive(0);
  arrive(1);
  EXPECT_EQ(bound(), (std::vector<std::string>{"g-2@" + node_name(2), "g-0@" + node_name(0),
                                               "g-1@" + node_name(1)}));
}

TEST_F(RosterTest, BARRIER1WhatTheMirrorSawBoundIsPresent) {
  start(PlanBuilder().gang("g", 8, 8, 6));
  arrive(6);
  EXPECT_EQ(bind_count(), 0u);
  arrive(7);
  EXPECT_EQ(bind_count(), 2u);
}

TEST_F(RosterTest, BARRIER1ABoundPodIsNotCountedByUsAndByTheMirror) {
  start(PlanBuilder().gang("g", 4, 2));
  arrive(0);
  arrive(1);
  finish("g-0", true);
  finish("g-1", false, "conflict");
  // The mirror saw g-0 bound. g-1 is planned again, and its gang now needs three. If g-0 counted
  // twice, g-1 would be bound.
  replan(PlanBuilder().gang("g", 4, 3, 1).without("g-0"));
  EXPECT_EQ(bind_count(), 2u);
  arrive("again", "g-1", node_name(1));
  EXPECT_EQ(bind_count(), 0u);
  arrive(2);
  EXPECT_EQ(bind_count(), 2u);
}

TEST_F(RosterTest, BARRIER1AMinimumOfOneGoesAtOnce) {
  start(PlanBuilder().gang("g", 3, 1).pod("single", "n1"));
  arrive(1);
  EXPECT_EQ(bind_count(), 1u);
  arrive("single", "single", "n1");
  EXPECT_EQ(bind_count(), 1u);
}

TEST_F(RosterTest, BARRIER1GangsDoNotCountForOneAnother) {
  start(PlanBuilder().gang("g", 2, 2).gang("h", 2, 2));
  arrive(0);
  arrive("h-1", "h-1", node_name(1));
  EXPECT_EQ(bind_count(), 0u);
  EXPECT_EQ(roster_->held(), 2u);
}

TEST_F(RosterTest, BARRIER2SurplusGoesAtOnceWhenTheMinimumIsThere) {
  start(PlanBuilder().gang("g", 5, 3));
  for (int index = 0; index < 3; ++index) arrive(index);
  EXPECT_EQ(bind_count(), 3u);
  arrive(3);
  EXPECT_EQ(bind_count(), 1u);
  for (int index = 0; index < 4; ++index) finish("g-" + std::to_string(index), true);
  arrive(4);
  EXPECT_EQ(bind_count(), 1u);
}

TEST_F(RosterTest, BARRIER3AGangThatStallsIsAbortedAsAWhole) {
  start(PlanBuilder().gang("g", 8, 8));
  for (int index = 0; index < 7; ++index) arrive(index);
  wait(seconds(9));
  EXPECT_TRUE(answers_.empty());
  wait(seconds(1));
  EXPECT_EQ(answers_.size(), 7u);
  EXPECT_EQ(answers_["g-3"],
            R"(gang "ns/g": 7 of 8 members arrived, and no further one within 10s)");
  ASSERT_EQ(drops_.size(), 7u);
  EXPECT_EQ(drops_[0].pod_uid, "uid-g-0");
  EXPECT_EQ(drops_[0].node, node_name(0));
  for (const PlacementDropped& each : drops_) EXPECT_TRUE(each.is_late) << "HINT-3";
  EXPECT_EQ(bind_count(), 0u);
  EXPECT_EQ(roster_->held(), 0u);
}

TEST_F(RosterTest, BARRIER3TheDeadlineMovesWithEveryNewMember) {
  start(PlanBuilder().gang("g", 4, 4));
  for (int index = 0; index < 3; ++index) {
    arrive(index);
    wait(seconds(8));
  }
  EXPECT_TRUE(answers_.empty());
  arrive(3);
  EXPECT_EQ(bind_count(), 4u);
}

TEST_F(RosterTest, BARRIER3ACallIsSentBackAtItsLimitAndItsGangGoesOn) {
  start(PlanBuilder().gang("g", 8, 8));
  for (int index = 0; index < 3; ++index) {
    arrive(index);
    wait(seconds(8));
  }
  arrive(3);
  wait(Duration(seconds(1)) - Duration(1));
  EXPECT_TRUE(answers_.empty());
  wait(Duration(1));
  EXPECT_EQ(answers_.size(), 1u);
  EXPECT_EQ(answers_["g-0"], "its gang was not complete within 25s");
  EXPECT_TRUE(drops_.empty());
  for (int index = 4; index < 8; ++index) arrive(index);
  EXPECT_EQ(bind_count(), 0u);  // the one sent back is missing
  arrive(0);
  EXPECT_EQ(bind_count(), 8u);
}

TEST_F(RosterTest, BARRIER3OtherGangsAndBindsUnderWayAreNotAborted) {
  start(PlanBuilder().gang("g", 2, 2).gang("h", 2, 2).gang("late", 2, 2));
  arrive(0);
  arrive("h-0", "h-0", node_name(0));
  arrive("h-1", "h-1", node_name(1));
  wait(seconds(5));
  arrive("late-0", "late-0", node_name(0));
  wait(seconds(5));
  EXPECT_EQ(answers_.size(), 1u);
  EXPECT_EQ(answers_.count("g-0"), 1u);
  EXPECT_EQ(roster_->binding(), 2u);
  EXPECT_EQ(roster_->held(), 1u);
}

TEST_F(RosterTest, BARRIER4ARetryReplacesTheCallThatWaitsAndCountsOnce) {
  start(PlanBuilder().gang("g", 2, 2));
  arrive(0);
  arrive("retry", "g-0", node_name(0));
  EXPECT_EQ(bind_count(), 0u);
  EXPECT_NE(answers_["g-0"], "");
  arrive(1);
  EXPECT_EQ(bind_count(), 2u);
  finish("g-0", true);
  EXPECT_EQ(answers_["retry"], "");
}

TEST_F(RosterTest, BARRIER4ARetryDuringTheBindWaitsForItsOutcome) {
  start(PlanBuilder().gang("g", 1, 1));
  arrive(0);
  arrive("retry", "g-0", node_name(0));
  arrive("elsewhere", "g-0", node_name(1));
  EXPECT_EQ(bind_count(), 1u);
  EXPECT_NE(answers_["g-0"], "");
  EXPECT_EQ(answers_["elsewhere"], "pod \"ns/g-0\" goes to node \"" + node_name(0) + "\"");
  finish("g-0", true);
  EXPECT_EQ(answers_["retry"], "");
}

TEST_F(RosterTest, BARRIER4APodThatIsBoundThereIsASuccessAlsoAfterThePlanForgotIt) {
  start(PlanBuilder().gang("g", 1, 1));
  arrive(0);
  finish("g-0", true);
  arrive("retry", "g-0", node_name(0));
  EXPECT_EQ(answers_.at("retry"), "");
  replan(PlanBuilder());
  arrive("late retry", "g-0", node_name(0));
  EXPECT_EQ(answers_.at("late retry"), "");
  arrive("elsewhere", "g-0", node_name(1));
  EXPECT_EQ(answers_.at("elsewhere"), "pod \"ns/g-0\" is bound to node \"" + node_name(0) + "\"");
  wait(std::chrono::minutes(6));
  arrive("after", "g-0", node_name(0));
  EXPECT_EQ(answers_.at("after"), "pod \"ns/g-0\" is not planned");
  EXPECT_EQ(bind_count(), 1u);
}

TEST_F(RosterTest, BARRIER5AMemberThatLeavesDoesNotCountAndKeepsItsPlacement) {
  start(PlanBuilder().gang("g", 3, 3));
  const CallId first = arrive(0);
  arrive(1);
  leave(first);
  arrive(2);
  EXPECT_EQ(bind_count(), 0u);
  EXPECT_TRUE(answers_.empty());
  EXPECT_TRUE(drops_.empty());
  arrive("back", "g-0", node_name(0));
  EXPECT_EQ(bind_count(), 3u);
}

TEST_F(RosterTest, BARRIER5LeavingAfterAReplacementOrDuringTheBindChangesNothing) {
  start(PlanBuilder().gang("g", 2, 2));
  const CallId first = arrive(0);
  const CallId retry = arrive("retry", "g-0", node_name(0));
  leave(first);
  EXPECT_EQ(roster_->held(), 1u);
  arrive(1);
  leave(retry);
  EXPECT_EQ(roster_->binding(), 2u);
}

TEST_F(RosterTest, BARRIER6AHeldMemberThatTheNewPlanPlacesElsewhereIsAnswered) {
  start(PlanBuilder().gang("g", 4, 4));
  for (int index = 0; index < 3; ++index) arrive(index);
  replan(PlanBuilder().gang("g", 4, 4).pod("g-0", "other").without("g-1"));
  EXPECT_EQ(answers_.size(), 2u);
  EXPECT_EQ(answers_["g-0"], R"(the plan for pod "ns/g-0" has changed)");
  EXPECT_EQ(answers_.count("g-1"), 1u);
  EXPECT_EQ(roster_->held(), 1u);
  EXPECT_TRUE(drops_.empty());
}

TEST_F(RosterTest, BARRIER6APlanWithALowerMinimumReleasesTheGang) {
  start(PlanBuilder().gang("g", 4, 4));
  arrive(0);
  arrive(1);
  replan(PlanBuilder().gang("g", 4, 2));
  EXPECT_EQ(bind_count(), 2u);
}

TEST_F(RosterTest, BARRIER6APlanThatIsNotReadyAnswersEveryHeldCall) {
  start(PlanBuilder().gang("g", 4, 4));
  arrive(0);
  arrive(1);
  replan(PlanBuilder(false));
  EXPECT_EQ(answers_.size(), 2u);
  EXPECT_EQ(roster_->held(), 0u);
}

TEST_F(RosterTest, BARRIER7AFailedBindIsAnsweredDroppedAndUndoesNothing) {
  start(PlanBuilder().gang("g", 2, 2));
  arrive(0);
  arrive(1);
  finish("g-1", false, "node \"x\" is gone");
  finish("g-0", true);
  EXPECT_EQ(answers_["g-0"], "");
  EXPECT_EQ(answers_["g-1"], "node \"x\" is gone");
  ASSERT_EQ(drops_.size(), 1u);
  EXPECT_EQ(drops_[0].pod_uid, "uid-g-1");
  // The one bound member counts: the other goes alone once it has a place again.
  replan(PlanBuilder().gang("g", 2, 2, 1).without("g-0"));
  bound();
  arrive("again", "g-1", node_name(1));
  EXPECT_EQ(bind_count(), 1u);
}

TEST_F(RosterTest, AnUnknownPodAndAForeignNodeAreErrors) {
  start(PlanBuilder().gang("g", 2, 1));
  arrive("unknown", "x", node_name(0));
  arrive("foreign", "g-0", node_name(1));
  EXPECT_EQ(answers_["unknown"], R"(pod "ns/x" is not planned)");
  EXPECT_EQ(answers_["foreign"], "pod \"ns/g-0\" is planned on node \"" + node_name(0) +
                                     "\", not on node \"" + node_name(1) + "\"");
  EXPECT_EQ(bind_count(), 0u);
}

TEST_F(RosterTest, AHintMayBeBoundElsewhereAndIsDroppedByItsPlannedNode) {
  moves_.leave_choice(uid_of("p"), "n1");
  start(PlanBuilder().pod("p", "n1", true));
  arrive("p", "p", "n2");
  EXPECT_EQ(bound(), (std::vector<std::string>{"p@n2"}));
  finish("p", false, "conflict");
  ASSERT_EQ(drops_.size(), 1u);
  EXPECT_EQ(drops_[0].node, "n1");
}

TEST_F(RosterTest, ClosingAnswersEveryCallNowAndLater) {
  start(PlanBuilder().gang("g", 4, 2).gang("h", 2, 2));
  arrive(0);
  arrive(1);
  arrive("h-0", "h-0", node_name(0));
  Roster::Effects effects;
  roster_->close(Roster::Closing::all, effects);
  EXPECT_EQ(effects.answers.size(), 3u);
  for (auto& [answer, error] : effects.answers) answer(error);
  arrive("later", "g-2", node_name(2));
  EXPECT_EQ(answers_["later"], "berthd is shutting down");
  finish("g-0", true);
  EXPECT_EQ(answers_["g-0"], "berthd is shutting down");
}

TEST_F(RosterTest, LEASE2ABindingCarriesTheEpochOfItsPlan) {
  support::JumpingClock lease_clock;
  ports::Leadership leadership(lease_clock);
  leadership.begin(3, lease_clock.now() + seconds(6));
  start(PlanBuilder().gang("g", 2, 2).under(leadership, 3));
  arrive(0);
  arrive(1);
  EXPECT_EQ(bind_count(), 2U);
  EXPECT_EQ(epochs_, (std::vector<std::uint64_t>{3, 3}));
}

TEST_F(RosterTest, LEASE5NoMemberIsTakenInWhenTheTermIsOver) {
  support::JumpingClock lease_clock;
  ports::Leadership leadership(lease_clock);
  leadership.begin(3, lease_clock.now() + seconds(6));
  start(PlanBuilder().gang("g", 2, 2).under(leadership, 3));
  arrive(0);
  lease_clock.advance(seconds(6));
  arrive(1);
  EXPECT_EQ(bind_count(), 0U);
  EXPECT_NE(answers_["g-1"], "");
}

}  // namespace
}  // namespace berth::extender
