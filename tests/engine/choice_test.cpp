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

TEST_F(ChoiceTest, RELATION2AZoneIsLeftOutAtOnceAndComesBackWhenTheLowestCountRises) {
  std::string text;
  for (int n = 0; n < 96; ++n) {
    const std::string number = std::to_string(100 + n);
    text += "node n" + number + " cpu=4 labels=zone:z" + std::to_string(n / 32) + "\n";
  }
  for (int p = 0; p < 7; ++p) {
    text += "pod p" + std::to_string(p) + " cpu=1 labels=app:x spread=app:x@zone@1\n";
  }
  stage(text);
  Statement statement(session());
  std::string nodes;
  for (int p = 0; p < 7; ++p) {
    const std::string pod = "p" + std::to_string(p);
    const std::string node = best(pod);
    nodes += node + " ";
    put(statement, pod, node);
  }
  EXPECT_EQ(nodes, "n100 n132 n164 n100 n132 n164 n100 ");
}

// Pods with each of these wishes, in turn.
const std::vector<std::string> kWishes{"apart=app:x@host",
                                       "apart=app:y@zone",
                                       "spread=app:x@zone@1",
                                       "near=app:x@zone",
                                       "near=app:x@rack apart=app:y@host",
                                       "spread=app:x@zone@1;app:x@host@2 apart=app:y@host",
                                       "near=app:y@host",
                                       "apart=app:x@rack",
                                       "",
                                       "near=app:x@zone;app:x@rack",
                                       "spread=app:y@rack@1"};

// The node is the one that a naive scan would choose, which asks every constraint of each. `zones`
// of nodes are in a row, or in turn.
class NaiveChoiceTest : public ChoiceTest, public ::testing::WithParamInterface<bool> {
 protected:
  static constexpr int kNodes = 150;
  static constexpr int kPods = 110;

  std::string text() const {
    std::string text;
    for (int n = 0; n < kNodes; ++n) {
      const std::string number = std::to_string(100 + n);
      const int zone = GetParam() ? 4 * n / kNodes : n % 4;
      text += "node n" + number + " cpu=8 labels=host:n" + number + ",zone:z" +
              std::to_string(zone) + (n % 9 == 0 ? ",rack:r" + std::to_string(n % 5) : "") + "\n";
    }
    for (int p = 0; p < kPods; ++p) {
      text += "pod p" + std::to_string(p) + " cpu=" + std::to_string(1 + p % 2) +
              " labels=app:" + (p % 3 == 0 ? "y" : "x") + " " +
              kWishes[static_cast<std::size_t>(p) % kWishes.size()] + "\n";
    }
    return text;
  }

  NodeId naive_best(ShapeId shape) {
    NodeId naive;
    std::int32_t most = 0;
    for (std::size_t n = 0; n < world_->cluster().node_count(); ++n) {
      if (!fits(session(), shape, NodeId(n))) continue;
      const std::int32_t score = session().score_of(shape, NodeId(n));
      if (naive.is_valid() && score <= most) continue;
      naive = NodeId(n);
      most = score;
    }
    return naive;
  }
};

TEST_P(NaiveChoiceTest, TheNodeIsThatOfANaiveScan) {
  stage(text());
  Statement statement(session());
  auto checkpoint = statement.checkpoint();
  int placed = 0;
  for (int p = 0; p < kPods; ++p) {
    const TaskId id = task("p" + std::to_string(p));
    const ShapeId shape = world_->cluster().task(id).shape;
    const NodeId best = session().best_idle_node(shape);
    ASSERT_EQ(best, naive_best(shape)) << "pod " << p;
    if (p % 16 == 8) checkpoint = statement.checkpoint();
    if (!best.is_valid()) continue;
    ++placed;
    ASSERT_TRUE(statement.allocate(id, best));
    if (p % 16 == 12) statement.roll_back(checkpoint);
  }
  EXPECT_GT(placed, 40);
}

INSTANTIATE_TEST_SUITE_P(Zones, NaiveChoiceTest, ::testing::Bool(), [](const auto& test) {
  return std::string(test.param ? "InARow" : "InTurn");
});

}  // namespace
}  // namespace berth::engine
