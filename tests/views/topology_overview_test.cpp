#include "views/topology_overview.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>

#include "mirror/memory_cluster.h"
#include "model/topology_texts.h"
#include "support/objects.h"
#include "views/topology_document.h"
#include "views/topology_text.h"

namespace berth::views::topology_overview_test {
namespace {

using namespace support;
using nlohmann::json;

// Two racks in one block. A pod of 3 cpu runs on n1, and n3 is cordoned.
class TopologyOverviewTest : public testing::Test {
 protected:
  TopologyOverviewTest() {
    for (const auto& [name, rack] : {std::pair{"n1", "r1"}, {"n2", "r1"}, {"n3", "r2"}}) {
      NodeObject object = node(name, 4);
      object.labels["block"] = "b1";
      object.labels["rack"] = rack;
      object.unschedulable = object.name == "n3";
      cluster_.apply(object);
    }
    cluster_.apply(node("n4", 4));
    cluster_.apply(running(pod("", 1, 3), "n1"));
  }
  TopologyOverview overview() {
    cluster_.mirror().settle(second(1));
    return make_topology_overview(cluster_.cluster());
  }

  mirror::MemoryCluster cluster_{
      mirror::Options{.topology_levels = {"block", "rack", "kubernetes.io/hostname"}}};
};

TEST_F(TopologyOverviewTest, TOPO15_has_the_free_room_of_each_domain_and_level) {
  const TopologyOverview all = overview();
  ASSERT_EQ(all.topologies.size(), 1U);
  const TopologyOverview::Topology& tree = all.topologies[0];
  EXPECT_EQ(all.nodes, 4U);
  EXPECT_EQ(tree.nodes, 3U);
  ASSERT_EQ(tree.domains.size(), 6U);
  EXPECT_EQ(tree.domains[1].path, "b1/r1");
  EXPECT_EQ(tree.domains[1].room.all.at("cpu"), 8000);
  EXPECT_EQ(tree.domains[1].room.free.at("cpu"), 5000);
  EXPECT_FALSE(tree.domains[4].room.free.contains("cpu")) << "n3 is cordoned";
  EXPECT_EQ(tree.domains[0].room.free.at("cpu"), 5000);
  EXPECT_EQ(tree.levels[1].domains, 2U);
  EXPECT_EQ(tree.levels[1].most.at("cpu"), 5000);
  EXPECT_EQ(tree.levels[2].most.at("cpu"), 4000);
  EXPECT_EQ(tree.levels[2].free.at("cpu"), 5000);
}

TEST_F(TopologyOverviewTest, the_table_leaves_out_domains_of_one_node_unless_it_is_asked) {
  const std::string table = topology_text(overview(), {{}, "", "cpu"});
  EXPECT_EQ(table,
            "topology.levels of the configuration: 3 nodes, 1 outside\n"
            "\n"
            "LEVEL                   DOMAINS  NODES  MOST FREE IN ONE DOMAIN\n"
            "block                   1        3      5 cpu\n"
            "rack                    2        3      5 cpu\n"
            "kubernetes.io/hostname  3        3      4 cpu\n"
            "\n"
            "DOMAIN  LEVEL  NODES  FREE\n"
            "b1      block  3      5 of 12 cpu\n"
            "  r1    rack   2      5 of 8 cpu\n"
            "  r2    rack   1      0 of 4 cpu\n");
  EXPECT_EQ(topology_text(overview(), {{}, "block", ""}).find("  r1"), std::string::npos);
  EXPECT_NE(topology_text(overview(), {{}, "kubernetes.io/hostname", ""}).find("    n1"),
            std::string::npos);
}

TEST_F(TopologyOverviewTest, says_which_objects_do_not_count_and_how_near_jobs_want_to_be) {
  cluster_.apply(TopologyObject{hyper_node("s0", 1, {node_member("n9")})});
  PodGroupObject object = group("g", 1);
  object.scheduler = "berth";
  object.topology = {
      {{.written = "f", .required = {.name = "rack"}}, {.written = "h", .preferred = {.tier = 3}}},
      {"k (no)"}};
  cluster_.apply(object);
  const std::string table = topology_text(overview(), {});
  EXPECT_NE(table.find("HyperNode.topology.volcano.sh \"s0\": no node is in it\n"),
            std::string::npos)
      << table;
  EXPECT_NE(table.find("JOB   PODS      NEAR                       TOPOLOGY OR WHY NOT\n"
                       "ml/g  all pods  in one rack                topology.levels of the "
                       "configuration\n"
                       "ml/g  all pods  if possible in one tier 3  "),
            std::string::npos)
      << table;
  const json document = json::parse(write_topology_overview(overview()));
  EXPECT_EQ(document["kind"], "Topology");
  EXPECT_EQ(document["notCounted"][0]["why"], "no node is in it");
  EXPECT_EQ(document["wishes"].size(), 3U);
  EXPECT_EQ(document["wishes"][2]["why"], "k (no)");
  EXPECT_EQ(document["topologies"][0]["domains"][1],
            json::parse(R"({"name": "r1", "path": "b1/r1", "level": "rack", "nodes": 2,
              "allocatable": {"cpu": "8", "memory": "128Gi", "pods": "220"},
              "free": {"cpu": "5", "memory": "128Gi", "pods": "219"}})"));
  EXPECT_EQ(document["topologies"][1]["levels"][0]["tier"], 1);
  EXPECT_EQ(document["topologies"][0]["levels"][0]["tier"], nullptr);
}

TEST_F(TopologyOverviewTest, without_a_topology_there_is_a_sentence) {
  mirror::MemoryCluster bare;
  bare.apply(node("n1", 4));
  bare.mirror().settle(second(1));
  const TopologyOverview nothing = make_topology_overview(bare.cluster());
  EXPECT_EQ(topology_text(nothing, {}), "no topology is known\n");
  EXPECT_EQ(json::parse(write_topology_overview(nothing))["topologies"], json::array());
}

}  // namespace
}  // namespace berth::views::topology_overview_test
