#include "extender/handlers.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "extender/support.h"

namespace berth::extender {
namespace {

using test::PlanBuilder;
using Names = std::vector<std::string>;

constexpr std::int64_t kGi = std::int64_t{1} << 30;

// Arguments that own their names.
class Asked {
 public:
  Asked(const std::string& pod, const std::string& scheduler, Names names)
      : names_(std::move(names)) {
    args.pod.name_space = "ns";
    args.pod.name = pod;
    args.pod.uid = test::uid_of(pod);
    args.pod.scheduler_name = scheduler;
    args.form = NodeForm::names;
    for (const std::string& name : names_) args.nodes.push_back({name, name});
  }
  FilterArgs args;

 private:
  Names names_;
};

FilterAnswer ask(const PlanBuilder& plan, const FilterArgs& args, NamedAmounts request = {}) {
  auto answer = filter(*plan.build(), args, [&](std::string_view) { return request; });
  EXPECT_TRUE(answer);
  return *std::move(answer);
}

Names accepted(const FilterAnswer& answer) {
  return {answer.reply.accepted.begin(), answer.reply.accepted.end()};
}

TEST(Filter, APlannedPodGetsExactlyItsNode) {
  const Asked asked("p", "berth", {"n1", "n2", "n3"});
  const auto answer = ask(PlanBuilder().pod("p", "n2"), asked.args);
  EXPECT_EQ(accepted(answer), (Names{"n2"}));
  EXPECT_TRUE(answer.reply.rejected.empty());
  EXPECT_EQ(answer.outcome, Outcome::planned);
  EXPECT_FALSE(answer.dropped);
}

TEST(Filter, APlannedNodeThatIsNotOnOfferIsAVeto) {
  Asked asked("p", "berth", {"n1", "n3"});
  const PlanBuilder full = PlanBuilder().pod("p", "n2").room("n1", {}).room("n3", {});
  // Before the nomination, kube-scheduler may have sampled the nodes.
  EXPECT_FALSE(ask(full, asked.args, {{"cpu", 1000}}).dropped);
  asked.args.pod.nominated_node = "n2";
  const auto answer = ask(full, asked.args, {{"cpu", 1000}});
  EXPECT_TRUE(accepted(answer).empty());
  ASSERT_EQ(answer.reply.rejected.size(), 1u);
  EXPECT_EQ(answer.reply.rejected[0].first, "n1");
  EXPECT_EQ(answer.reply.rejected[0].second, kNotPlannedYet);
  ASSERT_TRUE(answer.dropped);
  EXPECT_EQ(answer.dropped->pod_uid, "uid-p");
  EXPECT_EQ(answer.dropped->node, "n2");
}

TEST(Filter, AStaleNominationOnTheFastPathIsNoVeto) {
  Asked asked("p", "berth", {"n1"});
  const PlanBuilder full = PlanBuilder().pod("p", "n2").room("n1", {});
  asked.args.pod.nominated_node = "n1";
  const auto answer = ask(full, asked.args, {{"cpu", 1000}});
  EXPECT_TRUE(accepted(answer).empty());
  EXPECT_FALSE(answer.dropped);
  asked.args.pod.nominated_node = "n2";
  EXPECT_TRUE(ask(full, asked.args, {{"cpu", 1000}}).dropped);
}

TEST(Filter, AHintGivesWayWhenItsNodeIsNotOnOffer) {
  const Asked asked("p", "berth", {"n1", "n3"});
  const auto echoed = ask(PlanBuilder().pod("p", "n2", true), asked.args);
  EXPECT_EQ(accepted(echoed), (Names{"n1", "n3"}));
  EXPECT_EQ(echoed.outcome, Outcome::hinted);
  EXPECT_FALSE(echoed.dropped);
  const auto met = ask(PlanBuilder().pod("p", "n3", true), asked.args);
  EXPECT_EQ(accepted(met), (Names{"n3"}));
}

TEST(Filter, APodOfOursWithoutAPlanGetsNothingAndOneConstantReason) {
  const Asked asked("p", "berth", test::node_names(5000));
  const auto answer = ask(PlanBuilder(), asked.args);
  EXPECT_EQ(encode(answer.reply),
            R"({"Nodes":null,"NodeNames":[],"FailedNodes":{},"FailedAndUnresolvableNodes":{")" +
                test::node_name(0) + R"(":"berth has not planned this pod yet"},"Error":""})");
  EXPECT_EQ(answer.outcome, Outcome::unplanned);
  EXPECT_FALSE(answer.dropped);
}

TEST(Filter, AForeignPodGetsItsListBackWithoutItsRequestBeingRead) {
  const Asked asked("p", "default-scheduler", {"n3", "n1", "n2"});
  const auto answer =
      filter(*PlanBuilder().build(), asked.args, [](std::string_view) -> Result<NamedAmounts> {
        return Error{"read without need", ""};
      });
  ASSERT_TRUE(answer);
  EXPECT_EQ(accepted(*answer), (Names{"n3", "n1", "n2"}));
  EXPECT_EQ(answer->outcome, Outcome::passed);
}

TEST(Filter, AForeignPodLosesTheNodesWhosePlannedRoomItWouldTake) {
  const Asked asked("p", "default-scheduler", {"n4", "n3", "n2", "n1"});
  const auto plan = PlanBuilder()
                        .room("n1", {{"cpu", 2000}, {"memory", 4 * kGi}, {"pods", 10}})
                        .room("n2", {{"cpu", 1999}, {"memory", 4 * kGi}, {"pods", 10}})
                        .room("n3", {{"cpu", 2000}, {"memory", 4 * kGi}, {"pods", 0}});
  const NamedAmounts request = {{"cpu", 2000}, {"memory", 4 * kGi}, {"pods", 1}};
  const auto answer = ask(plan, asked.args, request);
  EXPECT_EQ(accepted(answer), (Names{"n4", "n1"}));
  EXPECT_EQ(answer.outcome, Outcome::trimmed);
  ASSERT_EQ(answer.reply.rejected.size(), 1u);
  EXPECT_EQ(answer.reply.rejected[0].second, kRoomIsPlanned);
}

TEST(Filter, RoomThatIsNotNamedIsNotThereAndWhatIsNotAskedForIsNotMissed) {
  const Asked asked("p", "default-scheduler", {"n1", "n2"});
  const auto plan = PlanBuilder()
                        .room("n1", {{"cpu", -500}, {"pods", 5}})
                        .room("n2", {{"a.example/gpu", 1}, {"cpu", 8000}, {"pods", 5}});
  EXPECT_EQ(accepted(ask(plan, asked.args, {{"cpu", 0}, {"pods", 1}})), (Names{"n1", "n2"}));
  EXPECT_EQ(accepted(ask(plan, asked.args, {{"a.example/gpu", 1}, {"pods", 1}})), (Names{"n2"}));
}

TEST(Filter, APodThatCannotBeReadIsTheRequestsError) {
  const Asked asked("p", "default-scheduler", {"n1"});
  const auto answer = filter(*PlanBuilder().room("n1", {}).build(), asked.args,
                             [](std::string_view) -> Result<NamedAmounts> {
                               return Error{"no such quantity", "Pod:1:2"};
                             });
  ASSERT_FALSE(answer);
  EXPECT_EQ(answer.error().to_string(), "Pod:1:2: no such quantity");
}

TEST(RequestOf, IsThePodsEffectiveRequest) {
  const auto request = request_of(test::pod_json("p", "default-scheduler"));
  ASSERT_TRUE(request) << request.error().to_string();
  EXPECT_EQ(request->at("cpu"), 2000);
  EXPECT_EQ(request->at("memory"), 4 * kGi);
  EXPECT_EQ(request->at("pods"), 1);
  EXPECT_FALSE(request_of(R"({"metadata":{"name":"p"},"spec":7})"));
  // API-25: hints do not matter.
  EXPECT_TRUE(request_of(
      R"({"metadata":{"name":"p","annotations":{"berth.dev/run-time":"an hour"}},"spec":{}})"));
}

TEST(Filter, NobodyButTheTargetGetsALockedNodeWhateverItsScheduler) {
  const auto plan = PlanBuilder().gang("g", 1, 1).lock("n1", "ns/g").lock("n2", "ns/g");
  for (const char* scheduler : {"default-scheduler", "volcano", ""}) {
    const Asked asked("p", scheduler, {"n1", "n2", "n3"});
    const auto answer =
        filter(*plan.build(), asked.args, [](std::string_view) -> Result<NamedAmounts> {
          return Error{"read without need", ""};
        });
    ASSERT_TRUE(answer);
    EXPECT_EQ(accepted(*answer), (Names{"n3"}));
    EXPECT_EQ(answer->outcome, Outcome::trimmed);
    ASSERT_EQ(answer->reply.rejected.size(), 1u) << "the text says it for both";
    EXPECT_EQ(answer->reply.rejected[0].second, kIsLocked);
  }
  const Asked all_locked("p", "default-scheduler", {"n2", "n1"});
  EXPECT_TRUE(accepted(ask(plan, all_locked.args)).empty());
}

TEST(Filter, WhatADaemonSetControlsPassesLocksButTakesNoPlannedRoom) {
  Asked asked("p", "default-scheduler", {"n1", "n2"});
  asked.args.pod.is_daemon = true;
  const PlanBuilder locked = PlanBuilder().lock("n1", "ns/g").lock("n2", "ns/g");
  EXPECT_EQ(accepted(ask(locked, asked.args)), (Names{"n1", "n2"}));
  const PlanBuilder planned = PlanBuilder(locked).room("n1", {{"cpu", 100}});
  EXPECT_EQ(accepted(ask(planned, asked.args, {{"cpu", 200}})), (Names{"n2"}));
  EXPECT_EQ(accepted(ask(planned, asked.args, {{"cpu", 100}})), (Names{"n1", "n2"}));
}

TEST(Filter, LockedNodesAndPlannedRoomAreDistinguished) {
  const Asked asked("p", "default-scheduler", {"n1", "n2", "n3", "n4"});
  const auto plan = PlanBuilder().lock("n1", "ns/g").room("n1", {}).room("n2", {}).room("n3", {});
  const auto answer = ask(plan, asked.args, {{"cpu", 1}});
  EXPECT_EQ(accepted(answer), (Names{"n4"}));
  ASSERT_EQ(answer.reply.rejected.size(), 2u);
  EXPECT_EQ(answer.reply.rejected[0].second, kIsLocked);
  EXPECT_EQ(answer.reply.rejected[1].second, kRoomIsPlanned);
}

TEST(Filter, APlannedPodGoesToItsNodeEvenIfThatWasLockedSince) {
  const Asked asked("p", "berth", {"n1", "n2"});
  EXPECT_EQ(accepted(ask(PlanBuilder().pod("p", "n2").lock("n2", "ns/g"), asked.args)),
            (Names{"n2"}));
}

TEST(Filter, AHintGoesToALockedNodeOnlyIfItsOwnJobHoldsTheLock) {
  const Asked asked("p", "berth", {"n1", "n3"});
  const auto hint = [](const std::string& node) {
    return PlanBuilder().pod("p", node, true, "ns/g").lock("n1", "ns/g").lock("n3", "ns/h");
  };
  const auto answer = ask(hint("n2"), asked.args);
  EXPECT_EQ(accepted(answer), (Names{"n1"}));
  EXPECT_EQ(answer.outcome, Outcome::hinted);
}

TEST(Filter, NobodyIsMovedToALockedNodeUnlessItsOwnJobHoldsTheLock) {
  Asked asked("p", "berth", {"n1", "n3"});
  asked.args.pod.nominated_node = "n2";
  const auto plan = [](const std::string& holder) {
    return PlanBuilder().pod("p", "n2", false, "ns/g").lock("n1", holder);
  };
  EXPECT_EQ(accepted(ask(plan("ns/h"), asked.args)), (Names{"n3"}));
  EXPECT_EQ(accepted(ask(plan("ns/g"), asked.args)), (Names{"n1"}));
}

TEST(Filter, NobodyElseGetsANodeOfAQueueWhateverItsScheduler) {
  const auto plan =
      PlanBuilder().keep_for_queue("n1", "q").keep_for_queue("n2", "r").lock("n2", "ns/g");
  for (const char* scheduler : {"default-scheduler", "volcano", ""}) {
    Asked asked("p", scheduler, {"n1", "n2", "n3"});
    const auto answer = ask(plan, asked.args);
    EXPECT_EQ(accepted(answer), (Names{"n3"}));
    ASSERT_EQ(answer.reply.rejected.size(), 2u);
    EXPECT_EQ(answer.reply.rejected[0].second, kIsOfQueue);
    EXPECT_EQ(answer.reply.rejected[1].second, kIsLocked);
    asked.args.pod.is_daemon = true;
    EXPECT_EQ(accepted(ask(plan, asked.args)), (Names{"n1", "n2", "n3"}));
  }
}

// Of both hints and pods whose own node was ruled out.
TEST(Filter, APodOfAQueueMayUseItsNodesAndThoseOfQueuesAbove) {
  const auto plan = [](bool is_hint, const std::vector<std::string>& queues) {
    return PlanBuilder()
        .pod("p", "n9", is_hint, "ns/g")
        .in_queues("p", queues)
        .keep_for_queue("n1", "other")
        .keep_for_queue("n2", "q")
        .keep_for_queue("n3", "q")
        .lock("n3", "ns/target");
  };
  Asked asked("p", "berth", {"n1", "n2", "n3", "n4"});
  EXPECT_EQ(accepted(ask(plan(true, {"below", "q"}), asked.args)), (Names{"n2", "n4"}));
  EXPECT_EQ(accepted(ask(plan(true, {}), asked.args)), (Names{"n4"}));
  asked.args.pod.nominated_node = "n9";
  EXPECT_EQ(accepted(ask(plan(false, {"below", "q"}), asked.args)), (Names{"n2"}));
  EXPECT_EQ(accepted(ask(plan(false, {"above"}), asked.args)), (Names{"n4"}));
  EXPECT_EQ(accepted(ask(plan(false, {"q"}).lock("n2", "ns/g"), asked.args)), (Names{"n2"}))
      << "a target on a node of its queue";
}

TEST(Prioritize, ThePlannedNodeGetsAllAndTheOthersNothing) {
  const Asked ours("p", "berth", {"n1", "n2"});
  EXPECT_EQ(encode(prioritize(*PlanBuilder().pod("p", "n2").build(), ours.args)),
            R"([{"Host":"n1","Score":0},{"Host":"n2","Score":10}])");
  EXPECT_TRUE(prioritize(*PlanBuilder().build(), ours.args).empty());
}

}  // namespace
}  // namespace berth::extender
