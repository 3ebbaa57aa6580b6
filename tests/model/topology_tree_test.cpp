#include "berth/model/topology_tree.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "model/topology_texts.h"

namespace berth::topology_tree_test {
namespace {

using support::text_of;

TopologyTree blocks_and_racks() { return TopologyTree({{"block", "", 0}, {"rack", "", 0}}); }

TEST(TopologyTree, TOPO2_a_domain_is_the_path_of_label_values) {
  TopologyTree tree = blocks_and_racks();
  place_by_labels(tree, "n1", {{"block", "b1"}, {"rack", "r1"}});
  place_by_labels(tree, "n2", {{"block", "b1"}, {"rack", "r2"}});
  place_by_labels(tree, "n3", {{"block", "b2"}, {"rack", "r1"}});
  EXPECT_EQ(text_of(tree), "b1:2 b1/r1:1 b1/r2:1 b2:1 b2/r1:1");
  EXPECT_EQ(tree.path_of(tree.place_of("n3")), "b2/r1");
  EXPECT_NE(tree.place_of("n1"), tree.place_of("n3")) << "racks of one name in two blocks";
  EXPECT_EQ(tree.node_count(), 3U);
}

TEST(TopologyTree, TOPO2_a_path_ends_before_the_first_label_that_is_missing_or_empty) {
  TopologyTree tree = blocks_and_racks();
  place_by_labels(tree, "n1", {{"block", "b1"}});
  place_by_labels(tree, "n2", {{"block", "b1"}, {"rack", ""}});
  place_by_labels(tree, "n3", {{"rack", "r1"}});
  EXPECT_EQ(text_of(tree), "b1:2");
  EXPECT_FALSE(tree.place_of("n3").is_valid());
}

TEST(TopologyTree, TOPO6_a_domain_is_there_while_it_has_a_node) {
  TopologyTree tree = blocks_and_racks();
  place_by_labels(tree, "n1", {{"block", "b1"}, {"rack", "r1"}});
  place_by_labels(tree, "n2", {{"block", "b2"}, {"rack", "r1"}});
  place_by_labels(tree, "n1", {{"block", "b2"}, {"rack", "r9"}});
  EXPECT_EQ(text_of(tree), "b2:2 b2/r1:1 b2/r9:1");
  tree.place("n2", TreeDomainId());
  tree.place("n1", TreeDomainId());
  EXPECT_EQ(text_of(tree), "");
  EXPECT_EQ(tree.node_count(), 0U);
  const std::size_t slots = tree.domain_slots();
  place_by_labels(tree, "n1", {{"block", "b1"}, {"rack", "r1"}});
  EXPECT_EQ(tree.domain_slots(), slots) << "ids are given again";
}

TEST(TopologyTree, domains_are_in_the_order_in_which_people_count) {
  TopologyTree tree = blocks_and_racks();
  for (const char* block : {"b10", "b9", "b1"}) {
    place_by_labels(tree, block, {{"block", block}});
  }
  EXPECT_EQ(text_of(tree), "b1:1 b9:1 b10:1");
}

TEST(TopologyTree, finds_the_domain_of_a_level_around_another) {
  TopologyTree tree = blocks_and_racks();
  place_by_labels(tree, "n1", {{"block", "b1"}, {"rack", "r1"}});
  place_by_labels(tree, "n2", {{"block", "b1"}});
  const TreeDomainId rack = tree.place_of("n1");
  const TreeDomainId block = tree.place_of("n2");
  EXPECT_EQ(tree.within(rack, 0), block);
  EXPECT_EQ(tree.within(rack, 1), rack);
  EXPECT_EQ(tree.within(block, 0), block);
  EXPECT_FALSE(tree.within(block, 1).is_valid()) << "the node is in no rack";
}

TEST(TopologyTree, names_its_levels) {
  EXPECT_EQ((TreeLevel{"example.com/rack", "", 0}.text()), "example.com/rack");
  EXPECT_EQ((TreeLevel{"example.com/rack", "rack", 0}.text()), "example.com/rack (rack)");
  EXPECT_EQ((TreeLevel{"", "", 2}.text()), "tier 2");
  EXPECT_EQ((TreeLevel{"", "spine", 2}.text()), "tier 2 (spine)");
}

}  // namespace
}  // namespace berth::topology_tree_test
