#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "berth/engine/fit.h"
#include "berth/engine/statement.h"
#include "support/open_session.h"
#include "support/stage.h"

// Rankings of shapes with preferences. docs/design/constraints.md.

namespace berth::engine {
namespace {

std::string node_line(int n) {
  const std::string number = std::to_string(n);
  std::string line = "node n" + number + " cpu=" + std::to_string(6 + n % 3) + " mem=8Gi";
  line += " labels=host:n" + number + (n % 7 == 0 ? "" : ",zone:z" + std::to_string(n % 4));
  if (n % 3 == 0) line += " images=train:v1=" + std::to_string(500 + 10 * (n % 5));
  return line + "\n";
}

NodeId naive(Session& session, ShapeId shape) {
  NodeId best;
  std::int32_t most = 0;
  for (std::size_t n = 0; n < session.cluster().node_count(); ++n) {
    if (!fits(session, shape, NodeId(n))) continue;
    const std::int32_t score = session.score_of(shape, NodeId(n));
    if (best.is_valid() && score <= most) continue;
    best = NodeId(n);
    most = score;
  }
  return best;
}

// The node is the one that a naive scan would choose, after placements, promises and undoing.
TEST(Wishes, TheNodeIsThatOfANaiveScan) {
  std::string text;
  for (int n = 0; n < 130; ++n) text += node_line(n);
  const std::vector<std::string> wishes{
      "prefers-near=50:app:x@zone",
      "prefers-apart=20:app:x@host",
      "prefers-near=7:app:y@zone prefers-apart=90:app:x@zone",
      "prefers-spread=app:x@zone@1",
      "prefers-spread=app:y@host@1;app:x@zone@2",
      "images=train:v1,other:v2",
      "near=app:y@zone",
      "apart=app:x@host prefers-near=1:app:y@zone images=train:v1",
      ""};
  constexpr int kPodsAsked = 90;
  for (int p = 0; p < kPodsAsked; ++p) {
    text += "pod p" + std::to_string(p) + " cpu=" + std::to_string(1 + p % 2) +
            " mem=1Gi labels=app:" + (p % 4 == 0 ? "y" : "x") + " " +
            wishes[static_cast<std::size_t>(p) % wishes.size()] + "\n";
  }
  const auto world = support::stage(text);
  support::OpenSession open(*world, {"predicates", "nodeorder"});
  Session& session = open.session;
  const Cluster& cluster = world->cluster();
  Statement statement(session);
  auto checkpoint = statement.checkpoint();
  int placed = 0;
  int with_wishes = 0;
  for (int p = 0; p < kPodsAsked; ++p) {
    const TaskId id = world->task("default/p" + std::to_string(p));
    const ShapeId shape = cluster.task(id).shape;
    const NodeId best = session.best_idle_node(shape);
    ASSERT_EQ(best, naive(session, shape)) << "pod " << p;
    with_wishes += has_wishes(session, cluster.shape(shape)) ? 1 : 0;
    if (p % 16 == 8) checkpoint = statement.checkpoint();
    if (!best.is_valid()) continue;
    ++placed;
    ASSERT_TRUE(statement.allocate(id, best));
    if (p % 16 == 12) statement.roll_back(checkpoint);
  }
  EXPECT_GT(placed, 60);
  EXPECT_GT(with_wishes, 30);
}

TEST(Wishes, AShapeWhosePreferencesNobodyMeetsSharesTheRankingOfItsBase) {
  const auto world = support::stage(
      "node n1 cpu=4 mem=4Gi labels=zone:a\nnode n2 cpu=4 mem=4Gi labels=zone:b\n"
      "pod plain cpu=1 mem=1Gi labels=app:x\n"
      "pod fond cpu=1 mem=1Gi prefers-near=1:app:x@zone images=train:v1\n");
  support::OpenSession open(*world, {"predicates", "nodeorder"});
  Session& session = open.session;
  const ShapeId fond = world->cluster().task(world->task("default/fond")).shape;
  Memory& memory = session.memory();
  EXPECT_EQ(&memory.ranking_by_wishes(session, fond), &memory.ranking(session, fond));
  EXPECT_EQ(session.best_idle_node(fond), NodeId(0));

  Statement statement(session);
  const auto before = statement.checkpoint();
  ASSERT_TRUE(statement.allocate(world->task("default/plain"), NodeId(1)));
  EXPECT_NE(&memory.ranking_by_wishes(session, fond), &memory.ranking(session, fond));
  EXPECT_EQ(session.best_idle_node(fond), NodeId(1)) << "the emptier one is not preferred";
  statement.roll_back(before);
  EXPECT_EQ(session.best_idle_node(fond), NodeId(0));
}

TEST(Wishes, ImagesThatComeToANodeAreScoredInTheNextSession) {
  const auto world = support::stage(
      "node n1 cpu=4 mem=4Gi\nnode n2 cpu=4 mem=4Gi images=train:v1=2000\n"
      "pod p cpu=1 mem=1Gi images=train:v1\n");
  auto scheduler = Scheduler::create(support::default_session_config());
  ASSERT_TRUE(scheduler);
  mirror::Mirror& mirror = world->mirror();
  const auto node_of_bind = [&] {
    mirror.settle(TimePoint());
    const Plan plan = scheduler->run(mirror.cluster_for_session(), world->now());
    return plan.binds.empty() ? NodeId() : plan.binds[0].node;
  };
  EXPECT_EQ(node_of_bind(), NodeId(1));
  const std::uint64_t specifications = mirror.cluster().spec_version();
  NodeObject node;
  node.name = "n2";
  node.uid = "node:n2";
  node.labels["kubernetes.io/hostname"] = "n2";
  node.allocatable = {{"cpu", 4000}, {"memory", std::int64_t{4} << 30}, {"pods", 110}};
  world->apply(node);
  EXPECT_EQ(node_of_bind(), NodeId(0)) << "its images are gone";
  EXPECT_EQ(mirror.cluster().spec_version(), specifications);
}

}  // namespace
}  // namespace berth::engine
