#include "berth/model/hyper_nodes.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "model/topology_texts.h"

namespace berth::hyper_nodes_test {
namespace {

using namespace support;
using Sentences = std::map<std::string, std::string>;

class HyperNodesTest : public testing::Test {
 protected:
  std::string tree_of(const std::vector<HyperNodeObject>& objects) {
    for (const HyperNodeObject& object : objects) all_.put(object);
    return settled();
  }
  std::string settled() {
    all_.settle(nodes_);
    return text_of(all_.tree());
  }
  void see(const std::string& name, const std::map<std::string, std::string>& labels) {
    nodes_[name].name = name;
    nodes_[name].labels = labels;
    all_.put_node(name, labels);
  }
  void lose(const std::string& name) {
    nodes_.erase(name);
    all_.erase_node(name);
  }

  HyperNodes all_;
  NodesByName nodes_ = nodes_with({{"n0", {{"rack", "a"}}},
                                   {"n1", {{"rack", "a"}}},
                                   {"n2", {{"rack", "b"}}},
                                   {"n3", {{"rack", "b"}, {"old", "yes"}}}});
};

// The spine and leaves of Volcano's design document.
TEST_F(HyperNodesTest, TOPO4_tiers_are_levels_and_the_highest_is_outermost) {
  EXPECT_EQ(tree_of({hyper_node("s0", 1, {node_member("n0"), node_member("n1")}),
                     hyper_node("s1", 1, {node_member("n2"), node_member("n3")}),
                     hyper_node("s4", 2, {hyper_node_member("s0"), hyper_node_member("s1")})}),
            "s4:4 s4/s0:2 s4/s1:2");
  ASSERT_EQ(all_.tree().levels().size(), 2U);
  EXPECT_EQ(all_.tree().levels()[0].tier, 2);
  EXPECT_EQ(all_.sentences(), Sentences{});
}

TEST_F(HyperNodesTest, TOPO4_nodes_are_selected_by_name_expression_and_label) {
  HyperNodeMember newer = label_member("rack", "b");
  newer.labels.push_back({"old", Operator::does_not_exist, {}});
  const HyperNodeMember no_rack{false, {}, {}, {{"rack", Operator::does_not_exist, {}}}};
  see("n4", {});
  EXPECT_EQ(tree_of({hyper_node("by-name", 1, {node_member("n0"), node_member("n7")}),
                     hyper_node("by-expression", 1, {pattern_member("^n[1x]$")}),
                     hyper_node("by-label", 1, {newer}), hyper_node("by-absence", 1, {no_rack})}),
            "by-absence:1 by-expression:1 by-label:1 by-name:1");
  EXPECT_FALSE(all_.tree().place_of("n3").is_valid());
}

TEST_F(HyperNodesTest, TOPO4_a_node_may_be_in_a_hyper_node_and_in_one_around_it) {
  EXPECT_EQ(tree_of({hyper_node("leaf", 1, {node_member("n0")}),
                     hyper_node("spine", 3, {hyper_node_member("leaf"), pattern_member("n")})}),
            "spine:4 spine/leaf:1");
  EXPECT_EQ(all_.tree().path_of(all_.tree().place_of("n0")), "spine/leaf");
  EXPECT_EQ(all_.tree().path_of(all_.tree().place_of("n1")), "spine");
}

TEST_F(HyperNodesTest, TOPO5_of_two_that_share_a_node_the_older_counts) {
  EXPECT_EQ(tree_of({hyper_node("a", 1, {node_member("n0"), node_member("n1")}, 2),
                     hyper_node("b", 1, {node_member("n1"), node_member("n2")}, 1)}),
            "b:2");
  EXPECT_EQ(all_.sentences(),
            (Sentences{{"a",
                        "its node \"n1\" is in the older \"b\" too, and neither is around the "
                        "other"}}));
  all_.erase("b");
  EXPECT_EQ(settled(), "a:2");
  EXPECT_EQ(all_.sentences(), Sentences{});
}

TEST_F(HyperNodesTest, TOPO5_of_the_same_age_the_first_by_name_counts) {
  EXPECT_EQ(
      tree_of({hyper_node("b", 1, {node_member("n1")}), hyper_node("a", 2, {node_member("n1")})}),
      "a:1");
}

TEST_F(HyperNodesTest, TOPO5_a_member_is_in_one_hyper_node) {
  EXPECT_EQ(tree_of({hyper_node("leaf", 1, {node_member("n0")}),
                     hyper_node("one", 2, {hyper_node_member("leaf")}, 1),
                     hyper_node("two", 2, {hyper_node_member("leaf"), node_member("n3")}, 2)}),
            "one:1 one/leaf:1");
  EXPECT_EQ(all_.sentences(), (Sentences{{"two",
                                          "its member \"leaf\" is in the older \"one\" already, "
                                          "expected one around it"}}));
}

TEST_F(HyperNodesTest, TOPO5_a_loop_is_no_tree) {
  EXPECT_EQ(tree_of({hyper_node("a", 2, {hyper_node_member("b"), node_member("n0")}),
                     hyper_node("b", 1, {hyper_node_member("a"), node_member("n1")}),
                     hyper_node("c", 1, {hyper_node_member("c")}),
                     hyper_node("d", 1, {hyper_node_member("e")}),
                     hyper_node("e", 1, {hyper_node_member("d")})}),
            "a:1");
  const Sentences sentences = all_.sentences();
  EXPECT_EQ(
      sentences.at("b"),
      "its member \"a\" has tier 2, expected one below its own tier 1, so that no loop can be");
  EXPECT_EQ(
      sentences.at("c"),
      "its member \"c\" is itself, expected one below its own tier 1, so that no loop can be");
  EXPECT_TRUE(sentences.contains("d") && sentences.contains("e"));
}

TEST_F(HyperNodesTest, TOPO5_one_that_is_refused_counts_as_if_it_was_not_there) {
  // "block" is refused for n3; its racks stay, and are outermost.
  EXPECT_EQ(tree_of({hyper_node("other", 1, {node_member("n3")}, 1),
                     hyper_node("rack", 1, {node_member("n0"), node_member("n1")}, 2),
                     hyper_node("block", 2, {hyper_node_member("rack"), node_member("n3")}, 3),
                     hyper_node("spine", 3, {hyper_node_member("block"), node_member("n2")}, 4)}),
            "other:1 rack:2 spine:1");
  EXPECT_TRUE(all_.sentences().contains("block"));
}

TEST_F(HyperNodesTest, TOPO6_one_without_a_node_is_in_no_tree_and_says_so) {
  EXPECT_EQ(
      tree_of({hyper_node("gone", 1, {node_member("n9")}),
               hyper_node("above", 2, {hyper_node_member("gone"), hyper_node_member("never")})}),
      "");
  EXPECT_EQ(all_.sentences(),
            (Sentences{{"gone", "no node is in it"},
                       {"above", "its member \"never\" is not there; no node is in it"}}));
  see("n9", {});
  EXPECT_EQ(settled(), "above:1 above/gone:1");
  EXPECT_EQ(all_.sentences(), (Sentences{{"above", "its member \"never\" is not there"}}));
}

TEST_F(HyperNodesTest, TOPO7_nodes_come_go_and_change_labels_at_once) {
  tree_of({hyper_node("a", 1, {label_member("rack", "a")}),
           hyper_node("b", 1, {label_member("rack", "b")})});
  see("n3", {{"rack", "a"}});
  EXPECT_EQ(text_of(all_.tree()), "a:3 b:1") << "without settle()";
  lose("n2");
  EXPECT_EQ(text_of(all_.tree()), "a:3");
  see("n4", {{"rack", "b"}});
  EXPECT_EQ(text_of(all_.tree()), "a:3 b:1");
}

TEST_F(HyperNodesTest, TOPO7_an_overlap_that_comes_or_goes_with_a_node_is_looked_at_anew) {
  tree_of({hyper_node("a", 1, {label_member("rack", "a")}),
           hyper_node("old", 1, {label_member("old", "yes")})});
  EXPECT_EQ(settled(), "a:2 old:1");
  see("n0", {{"rack", "a"}, {"old", "yes"}});
  EXPECT_EQ(settled(), "a:2");
  EXPECT_TRUE(all_.sentences().contains("old"));
  see("n0", {{"rack", "a"}});
  EXPECT_EQ(settled(), "a:2 old:1");
}

TEST_F(HyperNodesTest, a_fault_of_an_object_is_its_sentence) {
  HyperNodeObject faulty = hyper_node("faulty", 1, {node_member("n0")});
  faulty.fault = "spec.tier: no";
  EXPECT_EQ(tree_of({faulty, hyper_node("empty", 1, {})}), "");
  EXPECT_EQ(all_.sentences(), (Sentences{{"faulty", "spec.tier: no"},
                                         {"empty", "it has no members, expected at least one"}}));
}

}  // namespace
}  // namespace berth::hyper_nodes_test
