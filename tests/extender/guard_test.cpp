#include "extender/guard.h"

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "extender/handlers.h"
#include "extender/server.h"

namespace berth::extender {
namespace {

using test::PlanBuilder;
using test::uid_of;
using Names = std::vector<std::string>;

NodeVictims victims(const std::string& node, const Names& pods) {
  NodeVictims victims{node, {}, 0};
  for (const std::string& pod : pods) victims.pod_uids.push_back(uid_of(pod));
  return victims;
}

PreemptArgs args_of(std::vector<NodeVictims> nodes, const std::string& pod = "web-0",
                    const std::string& scheduler = "default-scheduler") {
  PreemptArgs args;
  args.pod.uid = uid_of(pod);
  args.pod.scheduler_name = scheduler;
  args.nodes = std::move(nodes);
  return args;
}

Names kept(const PlanBuilder& plan, const PreemptArgs& args) {
  Names names;
  for (const NodeVictims& each : preempt(*plan.build(), args)) names.push_back(each.node);
  return names;
}

// May these pods of one node go?
bool may_go(const PlanBuilder& plan, const std::string& node, const Names& pods) {
  return !kept(plan, args_of({victims(node, pods)})).empty();
}

// Minimum 3. Pods a-0, a-1 run on n1, a-2, a-3 on n2, and a-4 on n3.
PlanBuilder five_of_three() {
  PlanBuilder plan;
  plan.guarded("a", {3, 5, 5, {}});
  for (int i = 0; i < 5; ++i) {
    plan.running("a-" + std::to_string(i), "n" + std::to_string(i / 2 + 1), "a");
  }
  return plan;
}

TEST(Guard, GUARD1NobodyIsPreemptedForPodsOfOurs) {
  const PlanBuilder plan = PlanBuilder().gang("g", 1, 1);
  const std::vector<NodeVictims> nodes = {victims("n1", {"low-0"}), victims("n2", {})};
  EXPECT_TRUE(kept(plan, args_of(nodes, "x", "berth")).empty());
  EXPECT_TRUE(kept(plan, args_of(nodes, "g-0", "renamed-since")).empty());
  EXPECT_EQ(kept(plan, args_of(nodes, "x")), (Names{"n1", "n2"}));
}

TEST(Guard, GUARD2NodesThatAreLockedOrClaimedAreLeftAlone) {
  const PlanBuilder plan = PlanBuilder().lock("n1", "ns/g").claim("n2").keep_for_queue("n4", "q");
  PreemptArgs args = args_of({victims("n1", {"low-0"}),
                              victims("n2", {"low-1"}),
                              victims("n3", {"low-2"}),
                              victims("n4", {"low-3"}),
                              {"n2", {}}});
  EXPECT_EQ(kept(plan, args), (Names{"n3"}));
  args.pod.is_daemon = true;
  EXPECT_EQ(kept(plan, args), (Names{"n1", "n2", "n3", "n4", "n2"})) << "it comes with the node";
}

TEST(Guard, GUARD2AClaimHoldsWhereNothingIsLocked) {
  const PlanBuilder plan = PlanBuilder().claim("n1");
  EXPECT_FALSE(may_go(plan, "n1", {"low-0"}));
  EXPECT_TRUE(may_go(plan, "n2", {"low-0"}));
}

TEST(Guard, GUARD3APlannedPodKeepsItsPlace) {
  const PlanBuilder plan = PlanBuilder().gang("g", 1, 1);
  EXPECT_EQ(kept(plan, args_of({victims("n1", {"low-0"}), victims("n2", {"low-1", "g-0"})})),
            (Names{"n1"}));
  PreemptArgs daemon = args_of({victims("n2", {"g-0"})});
  daemon.pod.is_daemon = true;
  EXPECT_TRUE(kept(plan, daemon).empty());
}

TEST(Guard, GUARD4AGangGivesItsSurplusAndNoMore) {
  PlanBuilder plan = five_of_three();
  EXPECT_TRUE(may_go(plan, "n1", {"a-0", "a-1"}));
  EXPECT_TRUE(may_go(plan, "n3", {"a-4"}));
  plan.running("a-5", "n1", "a");  // of the five, three are on n1 now
  EXPECT_TRUE(may_go(plan, "n1", {"a-0", "a-5"}));
  EXPECT_FALSE(may_go(plan, "n1", {"a-5", "a-1", "a-0"}));
}

TEST(Guard, GUARD4EachNodeIsJudgedAsIfItAloneWereChosen) {
  const PreemptArgs args = args_of(
      {victims("n1", {"a-0", "a-1"}), victims("n2", {"a-2", "a-3"}), victims("n3", {"a-4"})});
  EXPECT_EQ(kept(five_of_three(), args), (Names{"n1", "n2", "n3"}));
}

TEST(Guard, GUARD4AnyGangThatBreaksIsEnough) {
  PlanBuilder plan = five_of_three();
  plan.guarded("b", {2, 2, 2, {}}).running("b-0", "n1", "b").running("b-1", "n2", "b");
  EXPECT_TRUE(may_go(plan, "n1", {"a-0"}));
  EXPECT_FALSE(may_go(plan, "n1", {"a-0", "b-0"}));
}

TEST(Guard, GUARD4AGangBelowItsMinimumLosesNoMore) {
  PlanBuilder plan;
  plan.guarded("a", {3, 2, 2, {}}).running("a-0", "n1", "a").running("a-1", "n2", "a");
  EXPECT_FALSE(may_go(plan, "n1", {"a-0"}));
}

TEST(Guard, GUARD4PodsThatHaveDoneTheirWorkCount) {
  PlanBuilder plan;
  plan.guarded("a", {2, 3, 2, {}}).running("a-0", "n1", "a").running("a-1", "n2", "a");
  EXPECT_TRUE(may_go(plan, "n1", {"a-0"})) << "one is done, one stays";
}

TEST(Guard, GUARD4MinimumsOfRolesCountOneByOne) {
  PlanBuilder plan;
  plan.guarded("a", {3, 5, 5, {{1, 1}, {2, 3}}}).running("a-0", "n1", "a", 0);
  for (int i = 1; i < 4; ++i) plan.running("a-" + std::to_string(i), "n1", "a", 1);
  plan.running("a-4", "n1", "a", 0xffff);
  EXPECT_FALSE(may_go(plan, "n1", {"a-0"})) << "the only master";
  EXPECT_TRUE(may_go(plan, "n1", {"a-1"}));
  EXPECT_FALSE(may_go(plan, "n1", {"a-1", "a-2"})) << "two workers must stay";
  EXPECT_TRUE(may_go(plan, "n1", {"a-1", "a-4"})) << "one of them has no role";
}

TEST(Guard, GUARD5AGangMayGoWhole) {
  PlanBuilder plan;
  plan.guarded("a", {2, 2, 2, {{1, 1}, {1, 1}}});
  plan.running("a-0", "n1", "a", 0).running("a-1", "n1", "a", 1);
  EXPECT_FALSE(may_go(plan, "n1", {"a-0"}));
  EXPECT_TRUE(may_go(plan, "n1", {"a-0", "a-1", "low-0"}));
  PlanBuilder rest;  // one is done; what is left of the gang is here
  rest.guarded("a", {2, 2, 1, {}}).running("a-0", "n1", "a");
  EXPECT_TRUE(may_go(rest, "n1", {"a-0"}));
}

TEST(Guard, GUARD6WhatIsUnknownOrNamedTwiceDoesNotCount) {
  const PlanBuilder plan = five_of_three();
  EXPECT_TRUE(may_go(plan, "n1", {"a-0", "a-0", "a-0", "a-0"}));
  EXPECT_TRUE(may_go(plan, "n1", {"a-0", "a-2", "a-3", "a-4"})) << "three are elsewhere";
  EXPECT_TRUE(may_go(plan, "unknown", {"a-0", "a-1", "a-2"}));
  PlanBuilder pair;
  pair.guarded("b", {2, 2, 2, {}}).running("b-0", "n1", "b").running("b-1", "n2", "b");
  EXPECT_FALSE(may_go(pair, "n1", {"b-0", "b-0"})) << "twice one is not the whole gang";
}

TEST(Guard, GUARD7AnswersAreTheVictimsAsTheyCame) {
  PlanBuilder plan = five_of_three();
  plan.guarded("b", {2, 2, 2, {}}).running("b-0", "n2", "b");
  std::vector<NodeVictims> nodes = {victims("n1", {"a-1", "a-0", "a-1"}), victims("n2", {"b-0"}),
                                    victims("n3", {})};
  nodes[0].pdb_violations = 7;
  EXPECT_EQ(encode(preempt(*plan.build(), args_of(nodes))),
            R"({"NodeNameToMetaVictims":{"n1":{"Pods":[{"UID":"uid-a-1"},{"UID":"uid-a-0"},)"
            R"({"UID":"uid-a-1"}],"NumPDBViolations":7},"n3":{"Pods":[],"NumPDBViolations":0}}})");
}

// The same over the wire, in both forms.
class GuardTest : public test::ServerTest {
 protected:
  std::string ask(const std::string& nodes, const std::string& form) {
    const auto reply = post("/guard/preempt", R"({"Pod":{"metadata":{"uid":"w"},"spec":{)"
                                              R"("schedulerName":"default-scheduler"}},")" +
                                                  form + R"(":)" + nodes + "}");
    EXPECT_EQ(reply.status, 200) << reply.body;
    return reply.body;
  }
};

TEST_F(GuardTest, GUARD7BothFormsAreJudgedAlikeAndAnsweredInTheMetaForm) {
  publish(five_of_three().running("a-5", "n1", "a").claim("n4"));
  EXPECT_EQ(ask(R"({"n1":{"Pods":[{"UID":"uid-a-0"},{"UID":"uid-a-1"},{"UID":"uid-a-5"}]},)"
                R"("n2":{"Pods":[{"UID":"uid-a-2"}],"NumPDBViolations":2},)"
                R"("n4":{"Pods":[{"UID":"uid-low-0"}],"NumPDBViolations":0}})",
                "NodeNameToMetaVictims"),
            R"({"NodeNameToMetaVictims":{"n2":{"Pods":[{"UID":"uid-a-2"}],)"
            R"("NumPDBViolations":2}}})");
  EXPECT_EQ(ask(R"({"n1":{"Pods":[{"metadata":{"uid":"uid-a-0"}},{"metadata":{"uid":"uid-a-1"}},)"
                R"({"metadata":{"uid":"uid-a-5"}}]},)"
                R"("n2":{"Pods":[{"metadata":{"name":"a-2","uid":"uid-a-2"}}],)"
                R"("NumPDBViolations":2}})",
                "NodeNameToVictims"),
            R"({"NodeNameToMetaVictims":{"n2":{"Pods":[{"UID":"uid-a-2"}],)"
            R"("NumPDBViolations":2}}})");
}

TEST_F(GuardTest, GUARD7EmptyVictimListsInAllTheirForms) {
  publish(five_of_three().lock("n4", "ns/g"));
  const std::string none =
      R"({"NodeNameToMetaVictims":{"n1":{"Pods":[],"NumPDBViolations":0},)"
      R"("n2":{"Pods":[],"NumPDBViolations":1},"n3":{"Pods":[],"NumPDBViolations":0}}})";
  for (const char* form : {"NodeNameToMetaVictims", "NodeNameToVictims"}) {
    EXPECT_EQ(ask(R"({"n1":{"Pods":[],"NumPDBViolations":0},)"
                  R"("n2":{"Pods":null,"NumPDBViolations":1},"n3":null,"n4":null})",
                  form),
              none);
  }
}

TEST_F(GuardTest, GUARD6HostileVictimsAreEchoedAndBreakNothing) {
  publish(five_of_three());
  EXPECT_EQ(ask(R"({"n1":{"Pods":[{},null,{"UID":null},{"UID":"?"},{"metadata":null}]},)"
                R"("":{"Pods":[{"UID":"uid-a-0"}]}})",
                "NodeNameToMetaVictims"),
            R"({"NodeNameToMetaVictims":{"n1":{"Pods":[{"UID":""},{"UID":""},{"UID":""},)"
            R"({"UID":"?"},{"UID":""}],"NumPDBViolations":0},)"
            R"("":{"Pods":[{"UID":"uid-a-0"}],"NumPDBViolations":0}}})");
  EXPECT_EQ(post("/guard/preempt", R"({"Pod":{}})").body, R"({"NodeNameToMetaVictims":{}})");
  EXPECT_EQ(post("/guard/preempt", R"({"NodeNameToMetaVictims":{}})").status, 400);
}

}  // namespace
}  // namespace berth::extender
