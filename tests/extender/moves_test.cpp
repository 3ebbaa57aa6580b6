#include "extender/moves.h"

#include <gtest/gtest.h>

#include "extender/handlers.h"
#include "extender/server.h"

namespace berth::extender {
namespace {

// The input of a filter call: a pod nominated on n1, and the nodes that kube-scheduler offers.
FilterArgs args_of(const std::vector<std::string_view>& nodes) {
  FilterArgs args;
  args.pod = {"ns", "p", "uid-p", "berth", "n1", "{}"};
  args.form = NodeForm::names;
  for (const std::string_view node : nodes) args.nodes.push_back({node, node});
  return args;
}

Result<NamedAmounts> two_cpu(std::string_view) { return NamedAmounts{{"cpu", 2000}}; }

ports::PlanTable plan_with_room(std::int64_t n2, std::int64_t n3) {
  ports::PlanTable plan;
  plan.ready = true;
  plan.managed_schedulers = {"berth"};
  plan.pods["uid-p"] = {"ns/p", "n1", nullptr};
  plan.room_left.resources = {"cpu"};
  plan.room_left.rows = {{"n2", 0}, {"n3", 1}};
  plan.room_left.amounts = {n2, n3};
  return plan;
}

TEST(Moves, STEER12AVetoedPodGoesToTheFirstNodeOnOfferWhoseRoomIsNotPlanned) {
  const auto plan = plan_with_room(1000, 2000);
  const auto answer = filter(plan, args_of({"n4", "n3", "n2"}), two_cpu);
  ASSERT_TRUE(answer);
  EXPECT_EQ(answer->outcome, Outcome::moved);
  ASSERT_TRUE(answer->moved);
  EXPECT_EQ(answer->moved->from, "n1");
  EXPECT_EQ(answer->moved->to, "n3");
  EXPECT_EQ(answer->reply.accepted, std::vector<std::string_view>{"n3"});
  EXPECT_FALSE(answer->dropped);
}

TEST(Moves, RELATION11APodWithRelationsIsNotMoved) {
  auto plan = plan_with_room(1000, 2000);
  plan.pods["uid-p"].has_relations = true;
  const auto answer = filter(plan, args_of({"n4", "n3", "n2"}), two_cpu);
  ASSERT_TRUE(answer);
  EXPECT_EQ(answer->outcome, Outcome::vetoed);
  EXPECT_FALSE(answer->moved);
  ASSERT_TRUE(answer->dropped);
  EXPECT_EQ(answer->dropped->node, "n1");
}

TEST(Moves, STEER12WithoutSuchANodeThePlacementIsDroppedAsVetoed) {
  const auto plan = plan_with_room(1000, 1000);
  const auto answer = filter(plan, args_of({"n3", "n2"}), two_cpu);
  ASSERT_TRUE(answer);
  EXPECT_EQ(answer->outcome, Outcome::vetoed);
  ASSERT_TRUE(answer->dropped);
  EXPECT_TRUE(answer->dropped->is_vetoed);
  EXPECT_TRUE(answer->reply.accepted.empty());
}

TEST(Moves, AMovedPodIsSentToTheSameNodeAgain) {
  const auto plan = plan_with_room(9000, 9000);
  Moves moves;
  moves.add("uid-p", "n1", "n3", {{"cpu", 2000}});
  const auto answer = filter(plan, args_of({"n2", "n3"}), two_cpu, moves);
  ASSERT_TRUE(answer);
  EXPECT_EQ(answer->outcome, Outcome::planned);
  EXPECT_EQ(answer->reply.accepted, std::vector<std::string_view>{"n3"});
}

TEST(Moves, TwoAreNotMovedIntoTheRoomOfOne) {
  const auto plan = plan_with_room(1000, 3000);
  Moves moves;
  moves.add("uid-other", "n1", "n3", {{"cpu", 2000}});
  const auto answer = filter(plan, args_of({"n2", "n3"}), two_cpu, moves);
  ASSERT_TRUE(answer);
  EXPECT_EQ(answer->outcome, Outcome::vetoed);
}

TEST(Moves, WhatThePlanHasTakenInIsForgotten) {
  auto plan = plan_with_room(0, 0);
  Moves moves;
  moves.add("uid-p", "n1", "n3", {});
  moves.follow(plan);
  EXPECT_EQ(moves.node_of("uid-p", "n1", 0), "n3") << "not taken in yet";
  plan.pods["uid-p"].node = "n3";
  moves.follow(plan);
  EXPECT_EQ(moves.node_of("uid-p", "n1", 0), "n1");
}

}  // namespace
}  // namespace berth::extender
