#include <gtest/gtest.h>

#include <string>
#include <variant>

#include "berth/base/text.h"
#include "kube/codecs.h"
#include "kube/manifests.h"
#include "kube/yaml_value.h"

// Topology and HyperNode, as Kueue, KAI and Volcano write them.

namespace berth::kube::topology_test {
namespace {

TypeName type_of(const document::Value& value) {
  return {value.find("kind")->text, value.find("apiVersion")->text};
}

TopologyObject decoded(const std::string& yaml) {
  const document::Value value = value_of(yaml);
  const auto event = decode(type_of(value), value, "f.yaml");
  EXPECT_TRUE(event) << (event ? "" : event.error().to_string());
  return event ? std::get<TopologyObject>(*event) : TopologyObject();
}

LevelsObject levels_of(const std::string& yaml) {
  return std::get<LevelsObject>(decoded(yaml).object);
}

HyperNodeObject hyper_node_of(const std::string& spec) {
  return std::get<HyperNodeObject>(
      decoded("apiVersion: topology.volcano.sh/v1alpha1\nkind: HyperNode\nmetadata: {name: s4, "
              "creationTimestamp: '2026-11-20T09:00:00Z'}\nspec: " +
              spec + "\n")
          .object);
}

std::string error_of(const std::string& spec) {
  const document::Value value = value_of(
      "{apiVersion: topology.volcano.sh/v1alpha1, kind: HyperNode, metadata: {name: s}, spec: " +
      spec + "}");
  const auto event = decode(type_of(value), value, "f.yaml");
  return event ? "" : event.error().to_string();
}

// site/static/examples/tas/sample-gpu-queues.yaml of Kueue, and its version before.
TEST(Topology, TOPO1_of_kueue_has_labels_in_both_versions) {
  for (const std::string version : {"v1beta1", "v1beta2"}) {
    const LevelsObject topology = levels_of("apiVersion: kueue.x-k8s.io/" + version + R"(
kind: Topology
metadata:
  name: "default"
spec:
  levels:
  - nodeLabel: "cloud.provider.com/topology-block"
  - nodeLabel: "cloud.provider.com/topology-rack"
  - nodeLabel: "kubernetes.io/hostname" # Taints are respected if this label is the lowest.
)");
    EXPECT_EQ(topology, (LevelsObject{TopologyKind::kueue,
                                      "default",
                                      {{"cloud.provider.com/topology-block"},
                                       {"cloud.provider.com/topology-rack"},
                                       {"kubernetes.io/hostname"}},
                                      {}}));
  }
}

// examples/topology-aliases/topology-aliases.yaml of KAI.
TEST(Topology, TOPO1_of_kai_has_other_names_of_levels) {
  const LevelsObject topology = levels_of(R"(
apiVersion: kai.scheduler/v1alpha1
kind: Topology
metadata:
  name: network
spec:
  levels:
    - nodeLabel: accelerator.nvidia.com/rack
      alias: rack
    - nodeLabel: kubernetes.io/hostname
      alias: node
)");
  EXPECT_EQ(topology.kind, TopologyKind::kai);
  EXPECT_EQ(topology.levels, (std::vector<TopologyLevel>{{"accelerator.nvidia.com/rack", "rack"},
                                                         {"kubernetes.io/hostname", "node"}}));
}

// Example 2 of Volcano's design document, in the form of its definition.
TEST(Topology, TOPO4_a_hyper_node_has_a_tier_and_members) {
  const HyperNodeObject spine = hyper_node_of(R"({tier: 2, tierName: roce, members: [
    {type: HyperNode, selector: {exactMatch: {name: nvlink-network-0}}},
    {type: Node, selector: {regexMatch: {pattern: "^node-[0-9]+$"}}},
    {type: Node, selector: {labelMatch: {matchLabels: {topology-rack: rack1},
      matchExpressions: [{key: old, operator: DoesNotExist}]}}},
    {type: Node, selector: {labelMatch: {}}}]})");
  EXPECT_EQ(spine.name, "s4");
  EXPECT_EQ(spine.created, *parse_time("2026-11-20T09:00:00Z"));
  EXPECT_EQ(spine.tier, 2);
  EXPECT_EQ(spine.tier_name, "roce");
  const std::vector<Expression> labels{{"topology-rack", Operator::in, {"rack1"}},
                                       {"old", Operator::does_not_exist, {}}};
  EXPECT_EQ(spine.members, (std::vector<HyperNodeMember>{{true, "nvlink-network-0"},
                                                         {false, {}, "^node-[0-9]+$"},
                                                         {false, {}, {}, labels},
                                                         {false, {}}}))
      << "an empty selector selects nothing, as in Volcano";
  EXPECT_EQ(hyper_node_of("{tier: '3'}").tier, 3) << "as an older definition has it";
}

TEST(Topology, a_member_that_cannot_be_meant_is_an_error_with_its_place) {
  EXPECT_NE(error_of("{tier: x}").find("f.yaml:1:"), std::string::npos);
  EXPECT_NE(error_of("{}").find("is no tier, expected a number from 0"), std::string::npos);
  EXPECT_NE(error_of("{tier: 1, members: [{type: Pod, selector: {exactMatch: {name: n}}}]}")
                .find("expected Node or HyperNode"),
            std::string::npos);
  EXPECT_NE(error_of("{tier: 1, members: [{type: Node, selector: {}}]}").find("0 selectors"),
            std::string::npos);
  EXPECT_NE(error_of("{tier: 1, members: [{type: Node, selector: {exactMatch: {name: n}, "
                     "regexMatch: {pattern: n}}}]}")
                .find("2 selectors"),
            std::string::npos);
  EXPECT_NE(
      error_of("{tier: 1, members: [{type: HyperNode, selector: {regexMatch: {pattern: n}}}]}")
          .find("by exactMatch only"),
      std::string::npos);
}

TEST(Topology, of_the_api_server_is_kept_with_its_fault) {
  Complaint complaint;
  const auto live = [&](const std::string& yaml) {
    const document::Value value = value_of(yaml);
    const auto event = decode_live(type_of(value), value, "live", complaint);
    EXPECT_TRUE(event) << event.error().to_string();
    return std::get<TopologyObject>(*event);
  };
  const auto levels = std::get<LevelsObject>(
      live("{apiVersion: kueue.x-k8s.io/v1beta2, kind: Topology, metadata: {name: t}, spec: "
           "{levels: [{nodeLabel: 'a b'}]}}")
          .object);
  EXPECT_NE(levels.fault.find("\"a b\" is no label of nodes"), std::string::npos) << levels.fault;
  EXPECT_TRUE(complaint.has_value());
  const auto hyper_node = std::get<HyperNodeObject>(
      live("{apiVersion: topology.volcano.sh/v1alpha1, kind: HyperNode, metadata: {name: s}, spec: "
           "{tier: -1}}")
          .object);
  EXPECT_NE(hyper_node.fault.find("is no tier"), std::string::npos) << hyper_node.fault;
}

TEST(Topology, is_read_from_manifests) {
  const auto manifests = parse_manifests(R"(
apiVersion: kai.scheduler/v1alpha1
kind: Topology
metadata: {name: t}
spec: {levels: [{nodeLabel: rack}]}
---
apiVersion: topology.volcano.sh/v1alpha1
kind: HyperNode
metadata: {name: s0}
spec: {tier: 1, members: [{type: Node, selector: {exactMatch: {name: n1}}}]}
---
apiVersion: kueue.x-k8s.io/v1beta2
kind: Topology
metadata: {name: t}
spec: {levels: [{nodeLabel: rack}]}
)",
                                         "f.yaml");
  ASSERT_TRUE(manifests) << manifests.error().to_string();
  EXPECT_TRUE(manifests->ignored.empty());
  std::string names;
  for (const ClusterEvent& event : manifests->events) {
    const auto& object = std::get<TopologyObject>(event);
    names += std::string(to_string(object.kind())) + " " + object.name() + "\n";
  }
  EXPECT_EQ(names,
            "HyperNode.topology.volcano.sh s0\nTopology.kai.scheduler t\n"
            "Topology.kueue.x-k8s.io t\n");
}

}  // namespace
}  // namespace berth::kube::topology_test
