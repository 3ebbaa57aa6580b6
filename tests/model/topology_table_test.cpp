#include "berth/model/topology_table.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "model/topology_texts.h"

namespace berth::topology_table_test {
namespace {

using namespace support;
using Sentences = std::map<std::string, std::string>;

class TopologyTableTest : public testing::Test {
 protected:
  void settle() { table_.settle(nodes_); }
  std::string found(const LevelName& name) const {
    const Result<FoundLevel> level = table_.find_level(name);
    if (!level) return level.error().message;
    return level->topology.text() + " " + (level->level ? std::to_string(*level->level) : "whole");
  }
  std::vector<std::string> order() const {
    std::vector<std::string> names;
    for (const auto& [name, tree] : table_.trees()) names.push_back(name.text());
    return names;
  }

  TopologyTable table_;
  NodesByName nodes_ = nodes_with({{"n0", {{"zone", "z"}, {"block", "b1"}, {"rack", "r1"}}},
                                   {"n1", {{"zone", "z"}, {"block", "b1"}, {"rack", "r2"}}}});
};

TEST_F(TopologyTableTest, TOPO1_topologies_have_an_order) {
  table_.put({hyper_node("s0", 1, {node_member("n0")})});
  table_.put(topology(TopologyKind::kai, "a", {{"rack"}}));
  table_.put(topology(TopologyKind::kueue, "b", {{"rack"}}));
  table_.put(topology(TopologyKind::kueue, "a", {{"block"}, {"rack"}}));
  table_.set_levels({"zone", "rack"});
  settle();
  EXPECT_EQ(order(), (std::vector<std::string>{
                         "topology.levels of the configuration", "Topology.kueue.x-k8s.io \"a\"",
                         "Topology.kueue.x-k8s.io \"b\"", "Topology.kai.scheduler \"a\"",
                         "HyperNode.topology.volcano.sh"}));
  EXPECT_EQ(text_of(*table_.find({TopologyKind::kueue, "a"})), "b1:2 b1/r1:1 b1/r2:1");
  table_.erase({TopologyKind::kueue, "a"});
  table_.erase({TopologyKind::volcano, "s0"});
  table_.set_levels({});
  settle();
  EXPECT_EQ(order(), (std::vector<std::string>{"Topology.kueue.x-k8s.io \"b\"",
                                               "Topology.kai.scheduler \"a\""}));
}

TEST_F(TopologyTableTest, TOPO3_levels_that_are_no_tree_are_refused_with_a_sentence) {
  const auto fault = [&](std::vector<TopologyLevel> levels) {
    table_.put(topology(TopologyKind::kueue, "t", std::move(levels)));
    settle();
    EXPECT_TRUE(table_.trees().empty());
    return table_.sentences().at("Topology.kueue.x-k8s.io \"t\"");
  };
  EXPECT_EQ(fault({}), "it has no levels, expected at least one");
  EXPECT_EQ(fault({{"a"}, {"b"}, {"a"}}), "a second level \"a\", expected each once");
  EXPECT_EQ(fault({{"a"}, {"b", "a"}}), "a second level \"a\", expected each once");
  EXPECT_EQ(fault({{"kubernetes.io/hostname"}, {"a"}}),
            "kubernetes.io/hostname is not its last level, and nothing is within a node");
  EXPECT_EQ(fault(std::vector<TopologyLevel>(17, {"a"})), "it has 17 levels, expected at most 16");
  const std::uint64_t version = table_.levels_version();
  fault(std::vector<TopologyLevel>(17, {"a"}));
  EXPECT_EQ(table_.levels_version(), version) << "the same object again";
  table_.put(topology(TopologyKind::kueue, "t", {{"a", "a"}, {"kubernetes.io/hostname"}}));
  EXPECT_EQ(table_.sentences(), Sentences{});
  EXPECT_EQ(order().size(), 1U);
}

TEST_F(TopologyTableTest, TOPO7_nodes_move_in_all_trees_at_once) {
  table_.set_levels({"block", "rack"});
  table_.put({hyper_node("s0", 1, {label_member("rack", "r1")})});
  settle();
  const TopologyTree& labels = *table_.find({TopologyKind::configured, ""});
  const TopologyTree& hyper_nodes = *table_.find({TopologyKind::volcano, ""});
  table_.put_node("n1", {{"block", "b2"}, {"rack", "r1"}});
  EXPECT_EQ(text_of(labels), "b1:1 b1/r1:1 b2:1 b2/r1:1");
  EXPECT_EQ(text_of(hyper_nodes), "s0:2");
  table_.erase_node("n0");
  EXPECT_EQ(text_of(labels), "b2:1 b2/r1:1");
  EXPECT_EQ(text_of(hyper_nodes), "s0:1");
}

TEST_F(TopologyTableTest, TOPO10_a_level_is_found_by_label_other_name_and_topology) {
  table_.set_levels({"zone", "rack"});
  table_.put(topology(TopologyKind::kai, "gpu", {{"block", "island"}, {"rack", "shelf"}}));
  EXPECT_EQ(found({.name = "rack"}), "topology.levels of the configuration 1");
  EXPECT_EQ(found({.name = "rack", .topology = "gpu"}), "Topology.kai.scheduler \"gpu\" 1");
  EXPECT_EQ(found({.name = "island"}), "Topology.kai.scheduler \"gpu\" 0");
  EXPECT_EQ(found({.name = "row"}),
            "no level is \"row\", expected one of: zone, rack, block (island), rack (shelf)");
  EXPECT_EQ(found({.name = "rack", .topology = "cpu"}), "no topology has the name \"cpu\"");
}

TEST_F(TopologyTableTest, TOPO10_a_tier_is_the_widest_that_is_not_above_it) {
  EXPECT_EQ(found({.tier = 1}),
            "no level is \"tier 1\", and no topology is known: see docs/topology.md");
  HyperNodeObject spine = hyper_node("spine", 5, {hyper_node_member("leaf")});
  spine.tier_name = "spine";
  table_.put({spine});
  table_.put({hyper_node("leaf", 2, {node_member("n0")})});
  settle();
  const std::string hyper_nodes = "HyperNode.topology.volcano.sh ";
  EXPECT_EQ(found({.tier = 5}), hyper_nodes + "0");
  EXPECT_EQ(found({.tier = 4}), hyper_nodes + "1");
  EXPECT_EQ(found({.tier = 2}), hyper_nodes + "1");
  EXPECT_EQ(found({.tier = 6}), hyper_nodes + "whole") << "more than any HyperNode is allowed";
  EXPECT_EQ(found({.tier = 1}), "no level is \"tier 1\", expected one of: tier 5 (spine), tier 2");
  EXPECT_EQ(found({.tier_name = "spine"}), hyper_nodes + "0");
  EXPECT_EQ(found({.name = "spine"}), hyper_nodes + "0");
}

TEST_F(TopologyTableTest, its_levels_have_a_version) {
  const std::uint64_t first = table_.levels_version();
  table_.put({hyper_node("s0", 1, {node_member("n0")})});
  settle();
  const std::uint64_t second = table_.levels_version();
  EXPECT_NE(first, second);
  table_.put({hyper_node("s1", 1, {node_member("n1")})});
  settle();
  EXPECT_EQ(table_.levels_version(), second) << "the same levels";
  table_.set_levels({"rack"});
  EXPECT_NE(table_.levels_version(), second);
}

}  // namespace
}  // namespace berth::topology_table_test
