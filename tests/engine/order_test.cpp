#include <gtest/gtest.h>

#include "support/stage.h"

// Plan::order (docs/design/reconcile.md). That a scheduler without memory gives the same order is a
// law of support::World, so it holds for all scenarios.

namespace berth::engine {
namespace {

using Names = std::vector<std::string>;

// One node of 4 cpu, three of them used for good.
const std::string kFull = "node n1 cpu=4\npod p unmanaged on=n1 cpu=3\n";

TEST(Order, STATUS5FollowsPriorityThenAge) {
  const auto world = support::stage(
      kFull +
          "priorityclass high value=10\n"
          "job young min=2 created=+9s phase=inqueue\ntask young/0..1 cpu=1\n"
          "job old min=2 created=+1s phase=inqueue\ntask old/0..1 cpu=1\n"
          "job urgent min=2 created=+10s priority=high phase=inqueue\ntask urgent/0..1 cpu=1\n",
      support::config_of("enqueue allocate", "priority gang predicates"));
  EXPECT_EQ(world->plan().order, (Names{"default/urgent", "default/old", "default/young"}));
}

TEST(Order, STATUS5JobsThatAwaitAdmissionComeAfterThoseThatAreAdmitted) {
  const auto world = support::stage(
      kFull +
          "job first min=1 needs cpu=4 created=+1s\n"
          "job second min=2 created=+2s phase=inqueue\ntask second/0..1 cpu=1\n",
      support::config_of("enqueue allocate", "gang overcommit(overcommit-factor=1.0) predicates"));
  const auto& plan = world->plan();
  ASSERT_EQ(plan.refusals.at("default/first").reason, Reason::cluster_overcommitted);
  EXPECT_EQ(plan.order, (Names{"default/second", "default/first"}));
}

TEST(Order, STATUS5OnlyJobsThatRoomWouldHelpAreInIt) {
  const auto world = support::stage(kFull +
                                        "queue closed state=closed\n"
                                        "job lacks-pods min=3\ntask lacks-pods/0..1 cpu=1\n"
                                        "job gated min=1\ntask gated/0 cpu=1 gates=a\n"
                                        "job huge min=1\ntask huge/0 cpu=9\n"
                                        "job shut min=1 queue=closed\ntask shut/0 cpu=2\n"
                                        "job lost min=1 queue=nowhere\ntask lost/0 cpu=2\n"
                                        "job fits min=1\ntask fits/0 cpu=1\n"
                                        "job waits min=1\ntask waits/0 cpu=2\n",
                                    support::config_of("enqueue allocate", "gang predicates"));
  const auto& plan = world->plan();
  EXPECT_EQ(plan.refusals.size(), 6U) << plan.to_string();
  EXPECT_EQ(plan.order, Names{"default/waits"});
}

TEST(Order, STATUS5ComesFromTheSharesThatTheSessionLeaves) {
  // Both queues have nothing. The first job of a goes ahead, so b is served before a's others.
  const auto world = support::stage(
      "node n1 cpu=4\nqueue a\nqueue b\n"
      "job a1 queue=a min=1 created=+1s\ntask a1/0 cpu=3\n"
      "job a2 queue=a min=1 created=+2s\ntask a2/0 cpu=3\n"
      "job b1 queue=b min=1 created=+3s\ntask b1/0 cpu=3\n",
      support::config_of("enqueue allocate", "gang / proportion predicates"));
  const auto& plan = world->plan();
  EXPECT_EQ(plan.binds, Names{"default/a1-0 on n1"});
  EXPECT_EQ(plan.order, (Names{"default/b1", "default/a2"}));
}

TEST(Order, STATUS5IsWorkedOutOnlyWhereItIsWanted) {
  mirror::Mirror mirror;
  mirror.settle(TimePoint());
  auto scheduler = Scheduler::create(support::default_session_config());
  ASSERT_TRUE(scheduler);
  EXPECT_TRUE(scheduler->run(mirror.cluster_for_session(), TimePoint()).order);
  const auto never = [](const Plan&) { return false; };
  EXPECT_FALSE(scheduler->run(mirror.cluster_for_session(), TimePoint(), nullptr, never).order);
}

}  // namespace
}  // namespace berth::engine
