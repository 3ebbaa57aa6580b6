#include "berth/engine/queue_tree.h"

#include <gtest/gtest.h>

#include "mirror/mirror.h"
#include "plugins/proportion/queue_division.h"

// docs/design/queues.md; what a scenario can say is in tests/scenarios/queues.

namespace berth::engine {
namespace {

class QueueTreeTest : public testing::Test {
 protected:
  QueueTreeTest() {
    NodeObject node;
    node.name = "n1";
    node.allocatable = {{"cpu", 30'000}};
    mirror_.apply(node);
  }

  static QueueObject queue(const std::string& name, const std::string& parent = "") {
    QueueObject queue = mirror::bare_queue(name);
    queue.parent = parent;
    return queue;
  }

  const QueueTree& tree() {
    mirror_.settle(TimePoint());
    tree_.refresh(mirror_.cluster());
    return tree_;
  }

  std::vector<std::string> names() {
    std::vector<std::string> names;
    for (std::size_t at = 1; at < tree().size(); ++at) {
      names.push_back(mirror_.cluster().queue(tree_.member(at).queue).name);
    }
    return names;
  }

  std::uint32_t position(const std::string& name) {
    for (std::uint32_t at = 0; at < tree().size(); ++at) {
      const QueueId id = tree_.member(at).queue;
      if (id.is_valid() && mirror_.cluster().queue(id).name == name) return at;
    }
    return QueueTree::kNowhere;
  }

  mirror::Mirror mirror_;
  QueueTree tree_;
};

// QUEUE-1
TEST_F(QueueTreeTest, HasParentsBeforeChildrenAndSiblingsByName) {
  for (const auto& [name, parent] :
       {std::pair("z", ""), std::pair("b", "z"), std::pair("a", "root"), std::pair("c", "a"),
        std::pair("a2", "z")}) {
    mirror_.apply(queue(name, parent));
  }
  EXPECT_EQ(names(), (std::vector<std::string>{"a", "default", "z", "c", "a2", "b"}));
  EXPECT_EQ(tree_.member(position("c")).parent, position("a"));
  EXPECT_EQ(tree_.member(position("z")).child_count, 2u);
}

// QUEUE-1
TEST_F(QueueTreeTest, TakesAQueueNamedRootForTheRoot) {
  QueueObject root = queue("root");
  root.capability["cpu"] = 12'000;
  mirror_.apply(root);
  mirror_.apply(queue("a", "root"));
  EXPECT_EQ(position("root"), 0u);
  EXPECT_EQ(tree_.total(kCpu), 12'000);
  EXPECT_EQ(tree_.real_capability(position("a"), kCpu), 12'000);
  EXPECT_EQ(tree_.standing(mirror_.cluster(), tree_.member(0).queue).reason,
            Reason::queue_has_children);
}

// QUEUE-2
TEST_F(QueueTreeTest, ShowsQueuesWithoutARootBelowIt) {
  for (const auto& [name, parent] :
       {std::pair("x", "y"), std::pair("y", "x"), std::pair("self", "self"),
        std::pair("lost", "nobody"), std::pair("below", "lost")}) {
    mirror_.apply(queue(name, parent));
  }
  EXPECT_EQ(names(), (std::vector<std::string>{"default", "below", "lost", "self", "x", "y"}));
  EXPECT_EQ(tree_.member(position("lost")).fault, "its parent queue \"nobody\" does not exist");
  EXPECT_EQ(tree_.member(position("below")).fault, "its parent queue \"nobody\" does not exist");
  EXPECT_EQ(tree_.member(position("self")).fault,
            "its parent queues lead round in a circle by \"self\"");
  EXPECT_TRUE(tree_.member(position("default")).takes_jobs());
}

// QUEUE-2
TEST_F(QueueTreeTest, FindsFaultWithAllBelowAFaultyQueue) {
  QueueObject faulty = queue("p");
  faulty.guarantee["cpu"] = 2'000;
  faulty.capability["cpu"] = 1'500;
  mirror_.apply(faulty);
  mirror_.apply(queue("c", "p"));
  EXPECT_EQ(tree().member(position("p")).fault,
            "it guarantees 2 cpu, more than its capability of 1500m");
  EXPECT_EQ(tree_.member(position("c")).fault, "its parent queue \"p\" is set up wrongly");
  EXPECT_EQ(tree_.guarantee(position("p"), kCpu), 0);
}

// QUEUE-3
TEST_F(QueueTreeTest, ScalesGuaranteesDownAndSaysSo) {
  for (const auto& [name, cpu] :
       {std::pair("a", 20'000), std::pair("b", 25'000), std::pair("c", 0)}) {
    QueueObject each = queue(name);
    each.guarantee["cpu"] = cpu;
    mirror_.apply(each);
  }
  // 20 and 25 of 30: two thirds.
  EXPECT_EQ(tree().guarantee(position("a"), kCpu), 13'333);
  EXPECT_EQ(tree_.guarantee(position("b"), kCpu), 16'666);
  EXPECT_TRUE(tree_.member(position("a")).is_scaled);
  EXPECT_FALSE(tree_.member(position("c")).is_scaled);
}

// QUEUE-6, QUEUE-9
TEST_F(QueueTreeTest, DividesWhatAnInnerQueueDoesNotUseItself) {
  PodObject pod;
  pod.name_space = "default";
  pod.name = "p";
  pod.uid = "p";
  pod.scheduler_name = "berth";
  pod.queue = "p";
  pod.request = {{"cpu", 4'000}};
  pod.node_name = "n1";
  pod.phase = PodPhase::running;
  mirror_.apply(queue("p"));
  mirror_.apply(pod);
  QueueObject child = queue("c", "p");
  child.capability["cpu"] = 10'000;
  mirror_.apply(child);
  pod.name = "q";
  pod.uid = "q";
  pod.queue = "c";
  pod.request = {{"cpu", 50'000}};
  pod.node_name.clear();
  pod.phase = PodPhase::pending;
  mirror_.apply(pod);
  const std::uint32_t parent = position("p");
  const std::uint32_t below = position("c");
  const auto shares = plugins::QueueDivision().divide(mirror_.cluster(), tree_, false);
  EXPECT_EQ(shares->at(shares->deserved, parent, kCpu), 14'000);
  EXPECT_EQ(shares->at(shares->deserved, below, kCpu), 10'000);
}

TEST_F(QueueTreeTest, IsWorkedOutAnewOnlyWhenSomethingChanged) {
  const std::uint64_t before = tree().version();
  EXPECT_EQ(tree().version(), before);
  mirror_.apply(queue("a"));
  EXPECT_NE(tree().version(), before);
  const std::uint64_t with_queue = tree().version();
  NodeObject node;
  node.name = "n2";
  node.allocatable = {{"cpu", 1'000}};
  mirror_.apply(node);
  EXPECT_NE(tree().version(), with_queue);
}

}  // namespace
}  // namespace berth::engine
