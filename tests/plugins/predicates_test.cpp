#include <gtest/gtest.h>

#include "support/stage.h"

namespace berth::plugins {
namespace {

using std::chrono::milliseconds;
using std::chrono::minutes;
using std::chrono::seconds;

std::string node_of_bind(const Cluster& cluster, const Plan& plan) {
  return plan.binds.empty() ? "" : cluster.node(plan.binds[0].node).name;
}

TEST(Veto, PREDICATE7ANodeThatWasRuledOutIsLeftAloneForAWhileByPodsOfThatShape) {
  const auto world = support::stage("node a cpu=4\nnode b cpu=2\npod p cpu=1\n");
  auto scheduler = engine::Scheduler::create(support::default_session_config());
  ASSERT_TRUE(scheduler);
  mirror::Mirror& mirror = world->mirror();
  const auto session = [&] {
    mirror.settle(TimePoint());
    return scheduler->run(mirror.cluster_for_session(), world->now());
  };
  ASSERT_EQ(node_of_bind(mirror.cluster(), session()), "a");

  mirror.veto(mirror.cluster().task(TaskId(0)).uid, "a", "no volume", world->now(), minutes(1));
  EXPECT_EQ(node_of_bind(mirror.cluster(), session()), "b");

  world->apply(NodeDeleted{"b"});
  const Plan nowhere = session();
  ASSERT_EQ(nowhere.refusals.size(), 1u);
  ASSERT_EQ(nowhere.refusals[0].nodes.size(), 1u);
  EXPECT_EQ(nowhere.refusals[0].nodes[0].reason, Reason::vetoed);
  EXPECT_NE(nowhere.refusals[0].message("p").find("ruled out by kube-scheduler"),
            std::string::npos);

  mirror.forget_vetoes(world->now() + seconds(1));
  EXPECT_EQ(node_of_bind(mirror.cluster(), session()), "a");
  mirror.veto(mirror.cluster().task(TaskId(0)).uid, "a", "no volume", world->now() + seconds(1),
              minutes(1));
  mirror.forget_vetoes(world->now() + milliseconds(2900));
  EXPECT_EQ(node_of_bind(mirror.cluster(), session()), "") << "twice as long the second time";
  mirror.forget_vetoes(world->now() + seconds(3));
  EXPECT_EQ(node_of_bind(mirror.cluster(), session()), "a");
}

// All pods of a shape that were sent to a node come back at once when kube-scheduler does not know
// the node yet.
TEST(Veto, STEER12RefusalsOfOneMomentCountOnce) {
  const auto world = support::stage("node a cpu=4\npod p cpu=1\npod q cpu=1\npod r cpu=1\n");
  auto scheduler = engine::Scheduler::create(support::default_session_config());
  ASSERT_TRUE(scheduler);
  mirror::Mirror& mirror = world->mirror();
  mirror.settle(TimePoint());
  for (std::size_t pod = 0; pod < 3; ++pod) {
    mirror.veto(mirror.cluster().task(TaskId(pod)).uid, "a", "no such node", world->now(),
                minutes(1));
  }
  mirror.forget_vetoes(world->now() + seconds(1));
  mirror.settle(TimePoint());
  const Plan plan = scheduler->run(mirror.cluster_for_session(), world->now());
  EXPECT_EQ(plan.binds.size(), 3U);
}

}  // namespace
}  // namespace berth::plugins
