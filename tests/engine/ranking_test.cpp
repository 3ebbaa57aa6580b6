#include "engine/ranking.h"

#include <gtest/gtest.h>

#include "berth/engine/fit.h"
#include "berth/engine/node_block.h"
#include "berth/engine/statement.h"
#include "engine/scheduler.h"
#include "support/open_session.h"
#include "support/seeds.h"

// The law of rankings: best() is what a naive scan over all nodes would choose.

namespace berth::engine {
namespace {

// One node at a time, nothing kept.
NodeId naive_best(Session& session, ShapeId id) {
  const Cluster& cluster = session.cluster();
  const Shape& shape = cluster.shape(id);
  std::vector<std::uint8_t> passes;
  for (std::size_t n = 0; n < cluster.node_count(); ++n) {
    passes.push_back(session.ask(points::predicate, shape, cluster.node(NodeId(n))) ? 1 : 0);
  }
  std::vector<std::int32_t> scores(cluster.node_count(), 0);
  session.ask(points::batch_node_order, shape, passes, static_cast<ScoreSums>(scores.data()));
  NodeId best;
  std::int32_t best_score = 0;
  for (std::size_t n = 0; n < cluster.node_count(); ++n) {
    if (!fits(session, id, NodeId(n))) continue;
    std::int32_t score = scores[n];
    const NodeBlock room(cluster, session.shares(), n, 1);
    session.ask(points::node_order, shape, room, static_cast<ScoreSums>(&score));
    if (best.is_valid() && score <= best_score) continue;
    best = NodeId(n);
    best_score = score;
  }
  if (best.is_valid()) {
    EXPECT_EQ(session.score_of(id, best), best_score);
  }
  return best;
}

std::string many_nodes(support::Random& random, std::size_t count) {
  std::string text;
  for (std::size_t n = 0; n < count; ++n) {
    text += "node n" + std::to_string(n) + " cpu=" + std::to_string(1 + support::below(random, 9)) +
            " mem=" + std::to_string(1 + support::below(random, 9)) +
            "Gi gpu=" + std::to_string(support::below(random, 3)) +
            (support::below(random, 4) == 0 ? " taints=spot::PreferNoSchedule" : "") +
            (support::below(random, 2) == 0 ? " labels=zone:a" : " labels=zone:b") + "\n";
  }
  return text;
}

const char* const kPods =
    "pod a cpu=1 mem=1Gi\npod b cpu=500m mem=2Gi gpu=1\npod c cpu=2 mem=1Gi selector=zone:a\n"
    "pod d cpu=1 mem=1Gi prefers=40:zone:in:b\npod e\npod f cpu=1 ports=80\npod g cpu=99\n";

// After every placement, here and undone, all rankings agree with the scan.
void expect_naive(Session& session, support::World& world, const std::string& what) {
  for (const char* name : {"a", "b", "c", "d", "e", "f", "g"}) {
    const ShapeId shape = world.cluster().task(world.task(std::string("default/") + name)).shape;
    ASSERT_EQ(session.best_idle_node(shape), naive_best(session, shape)) << what << " " << name;
  }
}

TEST(RankingTest, ChoosesWhatANaiveScanWouldAlsoAfterChangesAndUndo) {
  for (const std::uint64_t seed : support::seeds(12)) {
    support::Random random(seed);
    // 1 block, a part of one, several supers.
    const std::size_t nodes = seed % 4 == 0 ? 4200 : 1 + support::below(random, 200);
    std::string text = many_nodes(random, nodes) + kPods +
                       "job x min=1\ntask x/0..29 cpu=1 mem=1Gi\n"
                       "job y min=1\ntask y/0..9 cpu=500m ports=80\n";
    const auto world = support::stage(text);
    for (int session_number = 0; session_number < 2; ++session_number) {
      support::OpenSession open(*world,
                                {"gang", "predicates", "nodeorder", "fragmentation", "binpack"});
      Session& session = open.session;
      Statement statement(session);
      auto checkpoint = statement.checkpoint();
      for (int step = 0; step < 30; ++step) {
        const bool ports = step % 3 == 0;
        const TaskId task = world->task(ports ? "default/y-" + std::to_string(step / 3)
                                              : "default/x-" + std::to_string(step));
        const NodeId node = session.best_idle_node(world->cluster().task(task).shape);
        if (node.is_valid()) {
          EXPECT_TRUE(statement.allocate(task, node));
        }
        if (step % 7 == 3) checkpoint = statement.checkpoint();
        if (nodes < 1000 || step % 10 == 0) {
          ASSERT_NO_FATAL_FAILURE(expect_naive(session, *world, "seed " + std::to_string(seed)));
        }
      }
      statement.roll_back(checkpoint);
      ASSERT_NO_FATAL_FAILURE(expect_naive(session, *world, "undone"));
    }
  }
}

// Blocks of 64 nodes that are alike, but for what is idle, and that are mostly full or mostly not.
TEST(RankingTest, ChoosesAmongAlikeNodes) {
  for (const std::uint64_t seed : support::seeds(12)) {
    support::Random random(seed);
    const std::uint64_t open_of_64 = std::vector<std::uint64_t>{1, 8, 32, 63}[seed % 4];
    std::string text = std::string(kPods) + "job x min=1\ntask x/0..19 cpu=1 mem=1Gi\n";
    for (std::size_t n = 0; n < 192; ++n) {
      const std::string name = "n" + std::to_string(n);
      const bool is_open = n % 64 < open_of_64;
      const std::uint64_t used = is_open ? support::below(random, 3) : 4;
      text += "node " + name + " cpu=4 mem=8Gi gpu=" + (n % 2 == 0 ? "2" : "0") +
              " labels=zone:" + (n % 7 == 0 ? "b\n" : "a\n");
      if (used == 0) continue;
      text += "pod u" + std::to_string(n) + " unmanaged cpu=" + std::to_string(used) +
              " on=" + name + "\n";
    }
    const auto world = support::stage(text);
    support::OpenSession open(*world,
                              {"gang", "predicates", "nodeorder", "fragmentation", "binpack"});
    Session& session = open.session;
    Statement statement(session);
    const auto begin = statement.checkpoint();
    for (int round = 0; round < 2; ++round) {
      for (int step = 0; step < 20; ++step) {
        const TaskId task = world->task("default/x-" + std::to_string(step));
        const NodeId node = session.best_idle_node(world->cluster().task(task).shape);
        if (node.is_valid()) {
          EXPECT_TRUE(statement.allocate(task, node));
        }
        ASSERT_NO_FATAL_FAILURE(expect_naive(session, *world, "seed " + std::to_string(seed)));
      }
      statement.roll_back(begin);
    }
  }
}

// FRAGMENT-5. Rankings are kept from session to session, and the usual pods change meanwhile.
TEST(RankingTest, FollowsTheUsualPods) {
  for (const std::uint64_t seed : support::seeds(6)) {
    support::Random random(seed);
    const auto world =
        support::stage(many_nodes(random, 100) + kPods +
                       "pod h cpu=1 gpu=1 labels=app:h apart=app:h@kubernetes.io/hostname\n");
    auto scheduler =
        Scheduler::create(support::config_of("allocate", "gang predicates fragmentation binpack"));
    ASSERT_TRUE(scheduler);
    for (int session_number = 0; session_number < 5; ++session_number) {
      const std::string name = "u" + std::to_string(session_number);
      const std::string amounts = " cpu=" + std::to_string(1 + support::below(random, 4)) +
                                  " gpu=" + std::to_string(1 + support::below(random, 2));
      support::bring(*world,
                     "job " + name + " min=40\ntask " + name + "/0..39 gated" + amounts + "\n");
      world->mirror().settle(TimePoint());
      scheduler->inspect(
          world->mirror().cluster_for_session(), world->now(), [&](Session& session) {
            const ShapeId apart = world->cluster().task(world->task("default/h")).shape;
            EXPECT_EQ(session.best_idle_node(apart), naive_best(session, apart)) << seed;
            expect_naive(
                session, *world,
                "seed " + std::to_string(seed) + ", session " + std::to_string(session_number));
          });
    }
  }
}

}  // namespace
}  // namespace berth::engine
