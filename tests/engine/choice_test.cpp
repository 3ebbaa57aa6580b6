#include "engine/choice.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "berth/engine/fit.h"
#include "berth/engine/statement.h"
#include "support/open_session.h"
#include "support/stage.h"

namespace berth::engine {
namespace {

class ChoiceTest : public ::testing::Test {
 protected:
  void stage(const std::string& text) {
    world_ = support::stage(text);
    open_ = std::make_unique<support::OpenSession>(*world_, std::vector<std::string>{"predicates"});
  }
  Session& session() { return open_->session; }
  TaskId task(const std::string& name) const { return world_->task("default/" + name); }
  std::string best(const std::string& name) {
    const NodeId node = session().best_idle_node(world_->cluster().task(task(name)).shape);
    return node.is_valid() ? world_->cluster().node(node).name : "none";
  }
  void put(Statement& statement, const std::string& pod, const std::string& node) {
    EXPECT_TRUE(statement.allocate(task(pod), world_->cluster().find_node(node)));
  }

  std::unique_ptr<support::World> world_;
  std::unique_ptr<support::OpenSession> open_;
};

TEST_F(ChoiceTest, RELATION2NodesThatRelationsRefuseAreLeftOutAndComeBackWhenItIsUndone) {
  stage(
      "node a1 cpu=4 labels=zone:a\nnode a2 cpu=4 labels=zone:a\nnode b1 cpu=4 labels=zone:b\n"
      "pod first cpu=1 labels=app:x apart=app:x@zone\n"
      "pod second cpu=1 labels=app:x apart=app:x@zone\n"
      "pod plain cpu=1\n");
  Statement statement(session());
  const auto before = statement.checkpoint();
  EXPECT_EQ(best("first"), "a1");
  put(statement, "first", "a1");
  EXPECT_EQ(best("second"), "b1") << "a2 did not change itself";
  EXPECT_EQ(best("plain"), "a1") << "the turn of another shape";
  EXPECT_EQ(best("second"), "b1");
  put(statement, "second", "b1");
  EXPECT_EQ(best("second"), "none");
  statement.roll_back(before);
  EXPECT_EQ(best("second"), "a1");
}

TEST_F(ChoiceTest, AFFINITY2TheFirstOfItsKindOpensItsDomain) {
  stage(
      "node a1 cpu=4 labels=zone:a\nnode b1 cpu=2 labels=zone:b\nnode b2 cpu=2 labels=zone:b\n"
      "pod first cpu=1 labels=app:x near=app:x@zone\n"
      "pod second cpu=2 labels=app:x near=app:x@zone\n");
  Statement statement(session());
  put(statement, "first", "b1");
  EXPECT_EQ(best("second"), "b2");
}

// The node is the one that a naive scan would choose, which asks every constraint of each.
TEST_F(ChoiceTest, TheNodeIsThatOfANaiveScan) {
  std::string text;
  for (int n = 0; n < 150; ++n) {
    const std::string number = std::to_string(n);
    text += "node n" + number + " cpu=8 labels=host:n" + number + ",zone:z" +
            std::to_string(n % 4) + (n % 9 == 0 ? ",rack:r" + std::to_string(n % 5) : "") + "\n";
  }
  const std::vector<std::string> wishes{
      "apart=app:x@host", "apart=app:y@zone", "near=app:x@zone", "near=app:x@rack apart=app:y@host",
      "near=app:y@host",  "apart=app:x@rack", "cpu=1",           "near=app:x@zone;app:x@rack"};
  for (int p = 0; p < 64; ++p) {
    const std::string app = p % 3 == 0 ? "y" : "x";
    text += "pod p" + std::to_string(p) + " cpu=" + std::to_string(1 + p % 2) +
            " labels=app:" + app + " " +
            (p % 8 == 6 ? "" : wishes[static_cast<std::size_t>(p % 8)]) + "\n";
  }
  stage(text);
  const Cluster& cluster = world_->cluster();
  Statement statement(session());
  auto checkpoint = statement.checkpoint();
  int placed = 0;
  for (int p = 0; p < 64; ++p) {
    const TaskId id = task("p" + std::to_string(p));
    const ShapeId shape = cluster.task(id).shape;
    NodeId naive;
    std::int32_t most = 0;
    for (std::size_t n = 0; n < cluster.node_count(); ++n) {
      if (!fits(session(), shape, NodeId(n))) continue;
      const std::int32_t score = session().score_of(shape, NodeId(n));
      if (naive.is_valid() && score <= most) continue;
      naive = NodeId(n);
      most = score;
    }
    const NodeId best = session().best_idle_node(shape);
    ASSERT_EQ(best, naive) << "pod " << p;
    if (p % 16 == 8) checkpoint = statement.checkpoint();
    if (!best.is_valid()) continue;
    ++placed;
    ASSERT_TRUE(statement.allocate(id, best));
    if (p % 16 == 12) statement.roll_back(checkpoint);
  }
  EXPECT_GT(placed, 20);
}

}  // namespace
}  // namespace berth::engine
