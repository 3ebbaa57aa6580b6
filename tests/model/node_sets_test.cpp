#include "berth/model/node_sets.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace berth {
namespace {

Node node_with(std::map<std::string, std::string> labels, std::vector<Taint> taints = {}) {
  Node node;
  node.name = labels["name"];
  node.labels = std::move(labels);
  node.taints = std::move(taints);
  return node;
}

// n0 and n1 in zone a, n2 in zone b, n3 without zone. n1 has a taint.
std::vector<Node> nodes() {
  return {
      node_with({{"name", "n0"}, {"zone", "a"}, {"rack", "r"}}),
      node_with({{"name", "n1"}, {"zone", "a"}, {"rack", "r"}},
                {{"gpu", "", TaintEffect::no_schedule}}),
      node_with({{"name", "n2"}, {"zone", "b"}}, {{"busy", "", TaintEffect::prefer_no_schedule}}),
      node_with({{"name", "n3"}, {"rack", "r"}})};
}

SpreadConstraint over(const std::string& key) {
  SpreadConstraint spread;
  spread.topology_key = key;
  return spread;
}

std::string set_of(const NodeSetRule& rule) {
  NodeSets sets;
  const std::vector<Node> all = nodes();
  const NodeSetId id = sets.take(rule, all);
  std::string names;
  for (std::size_t n = 0; n < all.size(); ++n) {
    if (sets.has(id, NodeId(n))) names += all[n].name + " ";
  }
  return names;
}

TEST(NodeSets, SPREAD2_have_the_nodes_with_the_keys_of_all_spreads) {
  const Constraints pod;
  EXPECT_EQ(set_of(node_set_rule(over("zone"), {over("zone")}, pod)), "n0 n1 n2 ");
  EXPECT_EQ(set_of(node_set_rule(over("zone"), {over("zone"), over("rack")}, pod)), "n0 n1 ");
  EXPECT_EQ(set_of(node_set_rule(over("none"), {over("none")}, pod)), "");
}

// Each row: policies, and the nodes that count for a pod that wants zone a, tolerates nothing.
TEST(NodeSets, SPREAD3_leave_out_nodes_by_each_policy) {
  Constraints by_selector;
  by_selector.node_selector = {{"zone", "a"}};
  Constraints by_affinity;
  by_affinity.has_required_terms = true;
  by_affinity.required_terms = {{{{"zone", Operator::in, {"a"}}}, {}}};
  for (const Constraints& pod : {by_selector, by_affinity}) {
    const auto with = [&](NodePolicy affinity, NodePolicy taints) {
      SpreadConstraint spread = over("zone");
      spread.affinity = affinity;
      spread.taints = taints;
      return set_of(node_set_rule(spread, {spread}, pod));
    };
    EXPECT_EQ(with(NodePolicy::honor, NodePolicy::ignore), "n0 n1 ");
    EXPECT_EQ(with(NodePolicy::honor, NodePolicy::honor), "n0 ");
    EXPECT_EQ(with(NodePolicy::ignore, NodePolicy::ignore), "n0 n1 n2 ");
    EXPECT_EQ(with(NodePolicy::ignore, NodePolicy::honor), "n0 n2 ");
  }
}

// docs/design/topology-spread.md, "Locks that are taints".
TEST(NodeSets, SPREAD3_have_locked_nodes_also_where_taints_are_honoured) {
  SpreadConstraint spread = over("zone");
  spread.taints = NodePolicy::honor;
  Node node = node_with({{"name", "n0"}, {"zone", "a"}});
  node.lock.job = JobId(1);
  node.queue_lock.queue = QueueId(1);
  EXPECT_TRUE(holds(node_set_rule(spread, {spread}, {}), node)) << "the pod may be the target's";
  node.taints = {{"gpu", "", TaintEffect::no_schedule}};
  EXPECT_FALSE(holds(node_set_rule(spread, {spread}, {}), node));
}

TEST(NodeSets, SPREAD3_keep_tainted_nodes_that_the_pod_tolerates) {
  Constraints pod;
  pod.tolerations = {{"gpu", true, "", TaintEffect::any}};
  SpreadConstraint spread = over("zone");
  spread.taints = NodePolicy::honor;
  EXPECT_EQ(set_of(node_set_rule(spread, {spread}, pod)), "n0 n1 n2 ");
}

TEST(NodeSets, SPREAD3_are_empty_if_affinity_has_no_terms) {
  Constraints pod;
  pod.has_required_terms = true;
  EXPECT_EQ(set_of(node_set_rule(over("zone"), {over("zone")}, pod)), "");
}

TEST(NodeSets, are_shared_by_equal_rules_and_given_back) {
  NodeSets sets;
  const std::vector<Node> all = nodes();
  Constraints pod;
  pod.tolerations = {{"gpu", true, "", TaintEffect::any}};
  const NodeSetId bare = sets.take(node_set_rule(over("zone"), {over("zone")}, {}), all);
  const NodeSetId tolerant = sets.take(node_set_rule(over("zone"), {over("zone")}, pod), all);
  EXPECT_EQ(bare, tolerant) << "taints are ignored by default, and so are tolerations";
  const NodeSetId rack = sets.take(node_set_rule(over("rack"), {over("rack")}, {}), all);
  EXPECT_NE(rack, bare);
  EXPECT_EQ(sets.size(), 2U);
  sets.give_back(bare);
  EXPECT_EQ(sets.size(), 2U);
  sets.give_back(tolerant);
  EXPECT_EQ(sets.size(), 1U);
  EXPECT_EQ(sets.take(node_set_rule(over("name"), {over("name")}, {}), all), bare);
  EXPECT_TRUE(sets.has(bare, NodeId(3)));
  EXPECT_FALSE(sets.has(rack, NodeId(2)));
}

TEST(NodeSets, follow_the_nodes) {
  NodeSets sets;
  std::vector<Node> all = nodes();
  const NodeSetId zone = sets.take(node_set_rule(over("zone"), {over("zone")}, {}), all);
  all[3].labels["zone"] = "c";
  EXPECT_TRUE(sets.update(NodeId(3), all[3]));
  EXPECT_TRUE(sets.has(zone, NodeId(3)));
  all[3].labels["zone"] = "d";
  EXPECT_FALSE(sets.update(NodeId(3), all[3])) << "another domain, but the same set";
  all[3].labels.erase("zone");
  EXPECT_TRUE(sets.update(NodeId(3), all[3]));
  EXPECT_FALSE(sets.has(zone, NodeId(3)));
  all.insert(all.begin(), node_with({{"name", "m"}, {"zone", "z"}}));
  sets.reset(all);
  EXPECT_TRUE(sets.has(zone, NodeId(3)));
  EXPECT_FALSE(sets.has(zone, NodeId(4)));
}

}  // namespace
}  // namespace berth
