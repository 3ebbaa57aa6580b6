#include "engine/tree_room.h"

#include <gtest/gtest.h>

#include "berth/engine/statement.h"
#include "engine/idle_room.h"
#include "engine/memory.h"
#include "support/open_session.h"
#include "support/seeds.h"

// The law of counters: what is kept is what a count of all nodes says, after each change.

namespace berth::engine {
namespace {

std::string some_nodes(support::Random& random, std::size_t count) {
  std::string text = "topology gpu levels=block,rack\n";
  for (std::size_t n = 0; n < count; ++n) {
    const std::string block = "block:b" + std::to_string(support::below(random, 3));
    const std::string rack = ",rack:r" + std::to_string(support::below(random, 4));
    text += "node n" + std::to_string(n) + " cpu=" + std::to_string(1 + support::below(random, 9)) +
            " mem=4Gi labels=" + block + (support::below(random, 5) == 0 ? "" : rack) + "\n";
  }
  return text;
}

void expect_counted(Session& session, const TreeNodes& nodes, ShapeId shape) {
  const auto kept = session.memory().room.idle(session, nodes, shape);
  std::vector<NodeId> all;
  for (std::size_t n = 0; n < session.cluster().node_count(); ++n) all.emplace_back(n);
  const std::vector<std::int32_t> by_node = idle_room(session, shape, JobId(), all);
  for (std::size_t level = 0; level < nodes.tree().levels().size(); ++level) {
    for (const TreeDomainId domain : nodes.domains(level)) {
      std::int64_t counted = 0;
      for (const NodeId node : nodes.nodes(nodes.range(domain))) counted += by_node[node.index()];
      ASSERT_EQ(kept->in(domain), counted) << nodes.tree().path_of(domain);
    }
  }
}

TEST(TreeRoomTest, what_is_kept_is_what_a_count_says) {
  for (const std::uint64_t seed : support::seeds(12)) {
    support::Random random(seed);
    const std::size_t count = 2 + support::below(random, 40);
    const auto world = support::stage(some_nodes(random, count) +
                                      "pod one cpu=1 mem=1Gi\npod two cpu=2 mem=1Gi\n"
                                      "job x min=1\ntask x/0..39 cpu=1 mem=1Gi\n");
    support::OpenSession open(*world, {"gang", "predicates", "nodeorder"});
    Session& session = open.session;
    const Cluster& cluster = world->cluster();
    const TreeNodes& nodes = session.memory().trees.of(cluster, {TopologyKind::kueue, "gpu"});
    const auto expect_all_counted = [&] {
      for (const char* name : {"default/one", "default/two"}) {
        expect_counted(session, nodes, cluster.task(world->task(name)).shape);
      }
    };
    ASSERT_NO_FATAL_FAILURE(expect_all_counted()) << seed;
    Statement statement(session);
    const auto start = statement.checkpoint();
    for (int step = 0; step < 40; ++step) {
      const TaskId task = world->task("default/x-" + std::to_string(step));
      const NodeId node = session.best_idle_node(cluster.task(task).shape);
      if (node.is_valid()) {
        EXPECT_TRUE(statement.allocate(task, node));
      }
      if (step % 5 == 0) {
        ASSERT_NO_FATAL_FAILURE(expect_all_counted()) << seed;
      }
    }
    statement.roll_back(start);
    ASSERT_NO_FATAL_FAILURE(expect_all_counted()) << seed;
  }
}

}  // namespace
}  // namespace berth::engine
