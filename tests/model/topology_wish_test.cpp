#include "berth/model/topology_wish.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "berth/model/topology_table.h"
#include "model/topology_texts.h"

namespace berth::topology_wish_test {
namespace {

using namespace support;
using Texts = std::vector<std::string>;

TopologyTable zone_and_rack() {
  TopologyTable table;
  table.set_levels({"zone", "rack"});
  table.put(topology(TopologyKind::kueue, "other", {{"block"}}));
  return table;
}

Texts lost(std::vector<NearRule> rules, bool is_alone = false) {
  TopologyWish wish{std::move(rules), {}};
  tidy_up(wish);
  return not_honoured_of(wish, zone_and_rack(), is_alone);
}

NearRule required(const std::string& level) {
  return {.written = "field", .required = {.name = level}};
}

TEST(TopologyWish, TOPO13_what_is_not_honoured_is_named_as_it_is_written) {
  EXPECT_EQ(lost({}), Texts{});
  EXPECT_EQ(lost({required("rack")}), Texts{}) << "it is honoured";
  const NearRule hard{.written = "spec.networkTopology (hard)", .is_as_near_as_can = true};
  EXPECT_EQ(lost({hard}), Texts{});
  EXPECT_EQ(not_honoured_of({{hard}, {}}, TopologyTable(), false),
            Texts{"spec.networkTopology (hard; no topology is known)"});
  NearRule groups{.written = "spec.subGroupPolicy", .part_size = 4, .min_parts = 2};
  EXPECT_EQ(lost({groups}), Texts{});
  groups.part_size = 0;
  EXPECT_EQ(lost({groups}),
            Texts{"spec.subGroupPolicy (minSubGroups does not count without subGroupSize)"});
}

TEST(TopologyWish, TOPO11_a_level_that_is_not_there_is_a_sentence) {
  EXPECT_EQ(lost({required("row")}),
            Texts{"field (no level is \"row\", expected one of: zone, rack, block)"});
  EXPECT_EQ(lost({{.written = "spec.networkTopology (soft)", .preferred = {.tier = 2}}}),
            Texts{"spec.networkTopology (soft; no level is \"tier 2\", expected one of: zone, "
                  "rack, block)"});
}

TEST(TopologyWish, TOPO11_the_preferred_level_is_within_the_required_one) {
  const auto both = [](const std::string& outer, const std::string& inner) {
    NearRule rule = required(outer);
    rule.preferred.name = inner;
    return lost({rule});
  };
  EXPECT_EQ(both("zone", "rack"), Texts{});
  EXPECT_EQ(both("rack", "zone"), Texts{"field (zone is not within rack)"});
  EXPECT_EQ(both("zone", "block"),
            Texts{"field (block and zone are levels of different topologies)"});
}

TEST(TopologyWish, TOPO11_parts_are_within_the_domain_of_all) {
  NearRule parts = required("zone");
  parts.written = "parts";
  parts.part_size = 4;
  EXPECT_EQ(lost({required("zone"), parts}), Texts{});
  EXPECT_EQ(lost({required("rack"), parts}), Texts{"parts (zone is not within rack)"});
  NearRule preferred{.written = "field", .preferred = {.name = "rack"}};
  EXPECT_EQ(lost({preferred, parts}), Texts{"parts (zone is not within rack)"});
}

TEST(TopologyWish, TOPO11_pods_of_one_set_say_the_same) {
  NearRule one = required("zone");
  NearRule other = required("rack");
  EXPECT_EQ(lost({one, other}), Texts{"field (of all pods it is written twice: in one rack, and in "
                                      "one zone; the nearer counts)"});
  one.pods = {.say_so = true, .set = "workers"};
  other.pods = {.say_so = true, .set = "leader"};
  EXPECT_EQ(lost({one, other}), Texts{}) << "of different sets";
  one.pods.set = other.pods.set = "";
  EXPECT_EQ(lost({one, other}), Texts{}) << "each of the pods that say so";
}

TEST(TopologyWish, TOPO12_wishes_add_up_and_each_rule_counts_once) {
  TopologyWish all{{required("rack")}, {"b (no)"}};
  add_wish(all, {{required("zone"), required("rack")}, {"a (no)", "b (no)"}});
  tidy_up(all);
  EXPECT_EQ(all.rules, (std::vector<NearRule>{required("rack"), required("zone")}));
  EXPECT_EQ(all.faults, (Texts{"a (no)", "b (no)"}));
  TopologyWish many;
  for (int i = 0; i < 100; ++i) many.rules.push_back(required("l" + std::to_string(i)));
  tidy_up(many);
  EXPECT_EQ(many.rules.size(), 64U);
  EXPECT_EQ(many.faults, Texts{"field (the job has 100 different ones, expected at most 64)"});
}

TEST(TopologyWish, TOPO14_one_pod_is_near_itself) {
  EXPECT_EQ(lost({required("rack")}, true), Texts{});
  EXPECT_EQ(lost({required("row")}, true).size(), 1U) << "but what cannot be meant is a sentence";
}

TEST(TopologyWish, TOPO10_a_tier_above_all_asks_for_nothing) {
  TopologyTable table;
  table.put({hyper_node("s0", 1, {node_member("n0")})});
  table.settle(nodes_with({{"n0", {}}}));
  EXPECT_EQ(table.find_level({.tier = 2})->level, std::nullopt);
  EXPECT_EQ(table.find_level({.tier = 1})->level, 0U);
}

TEST(TopologyWish, TOPO8_says_in_words_which_pods_and_how_near) {
  NearRule rule = required("rack");
  EXPECT_EQ(rule.pods_text(), "all pods");
  EXPECT_EQ(rule.nearness_text(), "in one rack");
  rule.pods.say_so = true;
  EXPECT_EQ(rule.pods_text(), "the pods that say so");
  rule.pods.set = "workers";
  rule.part_size = 4;
  rule.required.topology = "gpu";
  rule.preferred.tier = 1;
  EXPECT_EQ(rule.pods_text(), "each 4 of pods of workers");
  EXPECT_EQ(rule.nearness_text(), "in one rack of topology gpu, if possible in one tier 1");
  const NearRule parted{.pods = {.set = "w", .parted_by = {"job"}}, .is_as_near_as_can = true};
  EXPECT_EQ(parted.pods_text(), "pods of w, by job");
  EXPECT_EQ(parted.nearness_text(), "as near as can be");
  EXPECT_EQ(NearRule().nearness_text(), "together");
}

}  // namespace
}  // namespace berth::topology_wish_test
