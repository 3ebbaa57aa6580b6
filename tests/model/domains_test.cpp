#include "berth/model/domains.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace berth {
namespace {

std::vector<Node> nodes_in(const std::vector<std::string>& racks) {
  std::vector<Node> nodes;
  for (const std::string& rack : racks) {
    nodes.emplace_back();
    if (!rack.empty()) nodes.back().labels["rack"] = rack;
  }
  return nodes;
}

TEST(DomainTable, BOUND5AKeyThatNoNodeHasAsALabelHasNoDomains) {
  const std::vector<Node> nodes = nodes_in({"a", "b", ""});
  DomainTable table;
  const TopologyKeyId rack = table.take("rack", nodes);
  const TopologyKeyId nowhere = table.take("nowhere", nodes);
  EXPECT_EQ(table.count(rack), 2U);
  EXPECT_EQ(table.count(nowhere), 0U);
  for (std::size_t n = 0; n < nodes.size(); ++n) {
    EXPECT_FALSE(table.at(nowhere, NodeId(n)).is_valid());
  }
  EXPECT_EQ(table.value(rack, table.at(rack, NodeId(1))), "b");
  EXPECT_FALSE(table.at(rack, NodeId(2)).is_valid());
}

TEST(DomainTable, BOUND5ALabelThatComesLaterCounts) {
  std::vector<Node> nodes = nodes_in({"", "", ""});
  DomainTable table;
  const TopologyKeyId rack = table.take("rack", nodes);
  EXPECT_FALSE(table.update(NodeId(1), nodes[1], nodes.size()));
  nodes[1].labels["rack"] = "a";
  EXPECT_TRUE(table.update(NodeId(1), nodes[1], nodes.size()));
  EXPECT_EQ(table.value(rack, table.at(rack, NodeId(1))), "a");
  EXPECT_FALSE(table.at(rack, NodeId(2)).is_valid());
  EXPECT_FALSE(table.update(NodeId(1), nodes[1], nodes.size()));
}

TEST(DomainTable, BOUND7AKeyGoesWithItsLastUseAndItsPlaceIsTakenAgain) {
  const std::vector<Node> nodes = nodes_in({"a"});
  DomainTable table;
  std::vector<TopologyKeyId> keys;
  for (int i = 0; i < 300; ++i) keys.push_back(table.take("key-" + std::to_string(i), nodes));
  EXPECT_EQ(table.take("key-7", nodes), keys[7]);
  table.give_back(keys[7]);
  for (const TopologyKeyId key : keys) table.give_back(key);
  table.trim();
  const TopologyKeyId rack = table.take("rack", nodes);
  EXPECT_EQ(rack, TopologyKeyId(0));
  EXPECT_EQ(table.name(rack), "rack");
  EXPECT_EQ(table.count(rack), 1U);
}

}  // namespace
}  // namespace berth
