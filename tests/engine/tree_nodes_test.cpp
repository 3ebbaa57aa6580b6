#include "engine/tree_nodes.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "mirror/memory_cluster.h"
#include "support/objects.h"

namespace berth::engine::tree_nodes_test {
namespace {

class TreeNodesTest : public testing::Test {
 protected:
  TreeNodesTest() {
    add("n1", "b2", "r1");
    add("n2", "b1", "r2");
    add("n3", "b1", "r1");
    add("n4", "b1", "");  // in no rack
    add("n5", "", "r1");  // in no block, so in no rack either
    add("n6", "b1", "r1");
    cluster_.mirror().settle(second(1));
  }
  void add(const std::string& name, const std::string& block, const std::string& rack) {
    NodeObject object = node(name, 4);
    if (!block.empty()) object.labels["block"] = block;
    if (!rack.empty()) object.labels["rack"] = rack;
    cluster_.apply(object);
  }
  const TreeNodes& nodes() { return trees_.of(cluster_.cluster(), {TopologyKind::configured, {}}); }
  std::string names(TreeNodes::Range range) {
    std::string names;
    for (const NodeId id : nodes().nodes(range)) names += cluster_.cluster().node(id).name + " ";
    return names;
  }
  std::string domains(std::size_t level) {
    std::string text;
    for (const TreeDomainId id : nodes().domains(level)) {
      text += nodes().tree().path_of(id) + ": " + names(nodes().range(id));
    }
    return text;
  }
  NodeId id(const std::string& name) { return cluster_.cluster().find_node(name); }

  mirror::MemoryCluster cluster_{mirror::Options{.topology_levels = {"block", "rack"}}};
  TreesInOrder trees_;
};

TEST_F(TreeNodesTest, a_domain_is_a_range_of_the_nodes) {
  EXPECT_EQ(names(nodes().all()), "n4 n3 n6 n2 n1 ");
  EXPECT_EQ(domains(0), "b1: n4 n3 n6 n2 b2: n1 ");
  EXPECT_EQ(domains(1), "b1/r1: n3 n6 b1/r2: n2 b2/r1: n1 ");
}

TEST_F(TreeNodesTest, the_innermost_domain_around_nodes) {
  const auto around = [&](const std::vector<NodeId>& some) {
    const TreeDomainId domain = nodes().around(some);
    return domain.is_valid() ? nodes().tree().path_of(domain) : "none";
  };
  EXPECT_EQ(around({id("n3"), id("n6")}), "b1/r1");
  EXPECT_EQ(around({id("n3"), id("n2")}), "b1");
  EXPECT_EQ(around({id("n3"), id("n4")}), "b1");
  EXPECT_EQ(around({id("n3"), id("n1")}), "none");
  EXPECT_EQ(around({id("n5")}), "none");
  EXPECT_EQ(around({}), "none");
}

TEST_F(TreeNodesTest, are_made_anew_when_nodes_change) {
  EXPECT_EQ(nodes().nodes(nodes().all()).size(), 5U);
  add("n5", "b2", "r1");
  add("n0", "b2", "r1");
  cluster_.mirror().settle(second(2));
  EXPECT_EQ(domains(1), "b1/r1: n3 n6 b1/r2: n2 b2/r1: n0 n1 n5 ");
}

}  // namespace
}  // namespace berth::engine::tree_nodes_test
