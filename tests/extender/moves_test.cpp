#include "extender/moves.h"

#include <gtest/gtest.h>

#include <memory>
#include <utility>

#include "extender/handlers.h"
#include "extender/server.h"

namespace berth::extender {
namespace {

// The input of a filter call: a pod nominated on n1, and the nodes that kube-scheduler offers.
FilterArgs filter_args(const std::vector<std::string_view>& nodes) {
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
  const auto answer = filter(plan, filter_args({"n4", "n3", "n2"}), two_cpu);
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
  const auto answer = filter(plan, filter_args({"n4", "n3", "n2"}), two_cpu);
  ASSERT_TRUE(answer);
  EXPECT_EQ(answer->outcome, Outcome::vetoed);
  EXPECT_FALSE(answer->moved);
  ASSERT_TRUE(answer->dropped);
  EXPECT_EQ(answer->dropped->node, "n1");
}

TEST(Moves, STEER12WithoutSuchANodeThePlacementIsDroppedAsVetoed) {
  const auto plan = plan_with_room(1000, 1000);
  const auto answer = filter(plan, filter_args({"n3", "n2"}), two_cpu);
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
  const auto answer = filter(plan, filter_args({"n2", "n3"}), two_cpu, moves);
  ASSERT_TRUE(answer);
  EXPECT_EQ(answer->outcome, Outcome::planned);
  EXPECT_EQ(answer->reply.accepted, std::vector<std::string_view>{"n3"});
}

TEST(Moves, TwoAreNotMovedIntoTheRoomOfOne) {
  const auto plan = plan_with_room(1000, 3000);
  Moves moves;
  moves.add("uid-other", "n1", "n3", {{"cpu", 2000}});
  const auto answer = filter(plan, filter_args({"n2", "n3"}), two_cpu, moves);
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

// Pods q, p and r of a spread, planned in this order on n2, n1 and n3.
class Exchanges : public testing::Test {
 protected:
  Exchanges() {
    plan_.ready = true;
    plan_.managed_schedulers = {"berth"};
    alike_ = std::make_shared<const std::vector<std::string>>(
        std::vector<std::string>{"uid-p", "uid-q", "uid-r"});
    for (const auto& [pod, node] : {std::pair("q", "n2"), {"p", "n1"}, {"r", "n3"}}) {
      ports::PlannedPod& planned = plan_.pods["uid-" + std::string(pod)];
      planned.full_name = std::string("ns/") + pod;
      planned.node = node;
      planned.has_relations = true;
      planned.alike = alike_;
      planned.order = ++last_order_;
    }
  }
  // The node that kube-scheduler gets for the pod, as by the service; empty: none.
  std::string ask(const std::string& pod, const std::vector<std::string_view>& nodes) {
    FilterArgs args = filter_args(nodes);
    args.pod.name = pod;
    args.pod.uid = "uid-" + pod;
    args.pod.nominated_node.clear();
    moves_.follow(plan_);
    last_ = *filter(plan_, args, two_cpu, moves_);
    if (last_.exchanged) moves_.exchange(*last_.exchanged);
    if (last_.handed_out) moves_.hand_out(args.pod.uid, *last_.handed_out);
    return last_.reply.accepted.empty() ? "" : std::string(last_.reply.accepted.front());
  }
  std::string node_of(const std::string& pod) const {
    const std::string uid = "uid-" + pod;
    return moves_.node_of(uid, plan_.find(uid)->node, plan_.exchanges);
  }

  const std::vector<std::string_view> all_ = {"n1", "n2", "n3"};
  ports::PlanTable plan_;
  std::shared_ptr<const std::vector<std::string>> alike_;
  std::uint64_t last_order_ = 0;
  Moves moves_;
  FilterAnswer last_;
};

TEST_F(Exchanges, STEER16PlacesAreHandedOutInTheOrderOfThePlan) {
  EXPECT_EQ(ask("r", all_), "n2") << "the first place, though that of q";
  EXPECT_EQ(ask("p", all_), "n1") << "its own is the second";
  EXPECT_EQ(ask("q", all_), "n3") << "the last";
  EXPECT_FALSE(last_.exchanged) << "it had got that of r in exchange";
  const auto exchanges = moves_.take_exchanges();
  ASSERT_EQ(exchanges.size(), 1u);
  EXPECT_EQ(exchanges[0].pod_uid, "uid-r");
  EXPECT_EQ(exchanges[0].node, "n3");
  EXPECT_EQ(exchanges[0].other_uid, "uid-q");
  EXPECT_EQ(exchanges[0].other_node, "n2");
  EXPECT_TRUE(moves_.take_exchanges().empty());
}

TEST_F(Exchanges, STEER16APodThatComesAgainKeepsItsPlace) {
  EXPECT_EQ(ask("r", all_), "n2");
  EXPECT_EQ(ask("r", all_), "n2");
  EXPECT_EQ(ask("q", all_), "n1");
}

TEST_F(Exchanges, STEER16APlaceThatIsNotOnOfferIsHandedOutLater) {
  EXPECT_EQ(ask("q", {"n1", "n3"}), "n1");
  EXPECT_EQ(ask("r", {"n2", "n3"}), "n2");
  EXPECT_EQ(ask("p", all_), "n3");
}

TEST_F(Exchanges, STEER16APlaceOfAPodWhoseAttemptHasFailedIsHandedOutAgain) {
  EXPECT_EQ(ask("q", all_), "n2");
  EXPECT_EQ(ask("p", {"n2"}), "") << "n2 is handed out";
  moves_.take_back("uid-q");
  EXPECT_EQ(ask("p", {"n2"}), "n2");
  EXPECT_EQ(node_of("q"), "n1");
}

TEST_F(Exchanges, STEER16WithoutAPlaceOnOfferItIsAVeto) {
  EXPECT_EQ(ask("q", all_), "n2");
  EXPECT_EQ(ask("p", {"n2", "n4"}), "");
  ASSERT_TRUE(last_.dropped);
  EXPECT_TRUE(last_.dropped->is_vetoed);
  EXPECT_EQ(last_.dropped->node, "n1");
}

TEST_F(Exchanges, STEER16AVetoIsOfThePlaceThatItHasNow) {
  EXPECT_EQ(ask("p", all_), "n2");
  EXPECT_EQ(ask("q", {"n4"}), "");
  ASSERT_TRUE(last_.dropped);
  EXPECT_EQ(last_.dropped->node, "n1") << "it had n2";
}

TEST_F(Exchanges, STEER16APlanCountsTheExchangesThatItHas) {
  EXPECT_EQ(ask("r", all_), "n2");  // q has n3
  EXPECT_EQ(ask("p", all_), "n1");
  moves_.take_back("uid-p");
  EXPECT_EQ(ask("q", {"n1"}), "n1");  // p has n3
  plan_.pods["uid-r"].node = "n2";
  plan_.pods["uid-q"].node = "n3";
  plan_.exchanges = 1;
  moves_.follow(plan_);
  EXPECT_EQ(node_of("r"), "n2");
  EXPECT_EQ(node_of("q"), "n1") << "the second is not taken in yet";
  EXPECT_EQ(node_of("p"), "n3");
  plan_.exchanges = 2;  // and the plan has changed meanwhile
  EXPECT_EQ(node_of("q"), "n3");
  EXPECT_EQ(node_of("p"), "n1");
}

TEST_F(Exchanges, STEER16NoPodGetsTheLockedNodeOfAnother) {
  plan_.locks["n2"] = "ns/q";
  plan_.pods["uid-q"].gang =
      std::make_shared<const ports::PlannedGang>(ports::PlannedGang{.job = "ns/q"});
  EXPECT_EQ(ask("r", all_), "n1") << "that of p is the first that is not locked for another job";
  EXPECT_EQ(ask("p", {"n2"}), "");
}

}  // namespace
}  // namespace berth::extender
