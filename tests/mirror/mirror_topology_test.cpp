#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "mirror/memory_cluster.h"
#include "model/topology_texts.h"
#include "support/objects.h"

// Topologies and wishes in the mirror: docs/design/topology.md.

namespace berth::mirror::mirror_topology_test {
namespace {

using namespace support;
using Texts = std::vector<std::string>;

NodeObject node_in(const std::string& name, const std::string& block, const std::string& rack) {
  NodeObject object = node(name, 4);
  object.labels["block"] = block;
  object.labels["rack"] = rack;
  return object;
}

class MirrorTopologyTest : public testing::Test {
 protected:
  MirrorTopologyTest() {
    for (const NodeObject& each : {node_in("n1", "b1", "r1"), node_in("n2", "b1", "r2")}) {
      see(each);
    }
  }
  template <class Event>
  void see(const Event& event) {
    cluster_.apply(event);
  }
  std::string tree(const TopologyName& name = {TopologyKind::configured, {}}) {
    cluster_.mirror().settle(second(1));
    const TopologyTree* const found = cluster_.cluster().topologies().find(name);
    return found == nullptr ? "none" : text_of(*found);
  }
  const Job& job(const std::string& name) {
    cluster_.mirror().settle(second(1));
    return cluster_.cluster().job(cluster_.find_job(name));
  }
  static PodObject pod_with(int index, const std::string& level) {
    PodObject object = pod("g", index, 1);
    object.topology = wish_for(level);
    return object;
  }
  static TopologyWish wish_for(const std::string& level) {
    return {{{.written = "w", .pods = {.say_so = true}, .required = {.name = level}}}, {}};
  }

  MemoryCluster cluster_{Options{.topology_levels = {"block", "rack"}}};
};

TEST_F(MirrorTopologyTest, TOPO7_the_tree_follows_the_nodes) {
  EXPECT_EQ(tree(), "b1:2 b1/r1:1 b1/r2:1");
  see(node_in("n2", "b2", "r1"));
  EXPECT_EQ(text_of(*cluster_.cluster().topologies().find({TopologyKind::configured, {}})),
            "b1:1 b1/r1:1 b2:1 b2/r1:1")
      << "before it is settled";
  see(NodeDeleted{"n1"});
  EXPECT_EQ(tree(), "b2:1 b2/r1:1");
  see(node_in("n3", "b1", "r1"));
  EXPECT_EQ(tree(), "b1:1 b1/r1:1 b2:1 b2/r1:1");
}

TEST_F(MirrorTopologyTest, TOPO1_objects_come_change_and_go) {
  see(topology(TopologyKind::kueue, "t", {{"rack"}}));
  EXPECT_EQ(tree({TopologyKind::kueue, "t"}), "r1:1 r2:1");
  see(topology(TopologyKind::kueue, "t", {{"block"}}));
  EXPECT_EQ(tree({TopologyKind::kueue, "t"}), "b1:2");
  see(TopologyDeleted{TopologyKind::kueue, "t"});
  EXPECT_EQ(tree({TopologyKind::kueue, "t"}), "none");
  see(TopologyObject{hyper_node("s0", 1, {node_member("n2")})});
  EXPECT_EQ(tree({TopologyKind::volcano, {}}), "s0:1");
  see(NodeDeleted{"n2"});
  EXPECT_EQ(tree({TopologyKind::volcano, {}}), "");
}

TEST_F(MirrorTopologyTest, a_rebuilt_mirror_has_the_same_topologies) {
  see(TopologyObject{hyper_node("s0", 1, {node_member("n2")})});
  see(topology(TopologyKind::kai, "t", {{"rack"}}));
  cluster_.rebuild(cluster_.objects());
  EXPECT_EQ(tree({TopologyKind::volcano, {}}), "s0:1");
  EXPECT_EQ(tree({TopologyKind::kai, "t"}), "r1:1 r2:1");
  EXPECT_EQ(tree(), "b1:2 b1/r1:1 b1/r2:1");
}

TEST_F(MirrorTopologyTest, TOPO12_the_wish_of_a_job_is_its_groups_and_its_pods) {
  PodGroupObject object = group("g", 2);
  object.topology = {{{.written = "of-group", .required = {.name = "block"}}}, {}};
  see(object);
  see(pod_with(0, "rack"));
  see(pod_with(1, "rack"));
  EXPECT_EQ(job("ml/g").topology.rules.size(), 2U);
  EXPECT_EQ(job("ml/g").not_honoured, Texts{});
  see(PodDeleted{pod("g", 1, 1).uid});
  object.topology = {};
  see(object);
  PodObject silent = pod("g", 0, 1);
  see(silent);
  EXPECT_TRUE(job("ml/g").topology.is_none());
  EXPECT_EQ(job("ml/g").not_honoured, Texts{});
}

TEST_F(MirrorTopologyTest, TOPO12_a_controller_of_group_or_pods_says_it_for_all_pods) {
  PodGroupObject object = group("g", 1);
  see(object);
  PodObject member = pod("g", 0, 1);
  member.owner = {"batch/v1", "Job", "j", "job"};
  see(member);
  OwnerObject owner;
  owner.uid = "job";
  owner.name_space = "ml";
  owner.self = member.owner;
  owner.topology = {{{.written = "of-owner", .required = {.name = "rack"}}}, {}};
  see(owner);
  EXPECT_EQ(job("ml/g").topology, owner.topology);
  see(OwnerDeleted{"job"});
  EXPECT_TRUE(job("ml/g").topology.is_none());
  owner.uid = "of-group";
  see(owner);
  object.owner_uid = "of-group";
  see(object);
  EXPECT_EQ(job("ml/g").topology, owner.topology);
}

TEST_F(MirrorTopologyTest, TOPO11_a_level_that_comes_ends_the_sentence) {
  see(group("g", 1));
  see(pod_with(0, "spine"));
  EXPECT_EQ(job("ml/g").not_honoured,
            Texts{"w (no level is \"spine\", expected one of: block, rack)"});
  HyperNodeObject spine = hyper_node("s0", 1, {node_member("n1")});
  spine.tier_name = "spine";
  see(TopologyObject{spine});
  EXPECT_EQ(job("ml/g").not_honoured, Texts{});
}

TEST_F(MirrorTopologyTest, TOPO8_a_rule_is_about_the_pods_that_say_so_or_bear_its_labels) {
  PodGroupObject object = group("g", 2);
  NearRule of_workers{.written = "w1", .required = {.name = "block"}};
  of_workers.pods.labels = {{"role", Operator::in, {"worker"}}};
  object.topology = {{of_workers}, {}};
  see(object);
  PodObject worker = pod("g", 0, 1);
  worker.labels = {{"role", "worker"}};
  see(worker);
  PodObject sayer = pod_with(1, "rack");
  sayer.topology.rules.front().pods.say_so = true;
  see(sayer);
  const auto rules_of = [&](const PodObject& pod) {
    return cluster_.cluster().task(cluster_.mirror().find_task(pod.uid)).near_rules;
  };
  const std::vector<NearRule>& rules = job("ml/g").topology.rules;
  ASSERT_EQ(rules.size(), 2U);
  const bool is_worker_first = rules[0].written == "w1";
  EXPECT_EQ(rules_of(worker), is_worker_first ? 1U : 2U);
  EXPECT_EQ(rules_of(sayer), is_worker_first ? 2U : 1U);
  worker.labels.clear();
  see(worker);
  cluster_.mirror().settle(second(2));
  EXPECT_EQ(rules_of(worker), 0U);
}

TEST_F(MirrorTopologyTest, TOPO14_a_pod_by_itself_is_near_itself) {
  PodObject single = pod("", 7, 1);
  single.topology = wish_for("rack");
  see(single);
  EXPECT_EQ(job("ml/7").topology, wish_for("rack"));
  EXPECT_EQ(job("ml/7").not_honoured, Texts{});
  single.topology = wish_for("row");
  see(single);
  EXPECT_EQ(job("ml/7").not_honoured.size(), 1U);
}

}  // namespace
}  // namespace berth::mirror::mirror_topology_test
