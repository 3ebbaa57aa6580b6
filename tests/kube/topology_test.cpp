#include <gtest/gtest.h>

#include <chrono>
#include <map>
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
                                                         {false, {}, {"^node-[0-9]+$"}},
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

// A HyperNode in whose spec this is the expression; it needs no escapes of YAML's single quotes.
std::string with_pattern(const std::string& pattern) {
  return "{tier: 1, members: [{type: Node, selector: {regexMatch: {pattern: '" + pattern + "'}}}]}";
}

bool is_in(const std::string& pattern, const std::string& name) {
  const HyperNodeObject object = hyper_node_of(with_pattern(pattern));
  return !object.members.empty() && object.members[0].pattern.is_in &&
         object.members[0].pattern.is_in(name);
}

TEST(Topology, TOPO4_an_expression_matches_anywhere_in_the_name_as_Go_does) {
  EXPECT_TRUE(is_in("rack-1", "block-1-rack-12"));
  EXPECT_FALSE(is_in("^rack-1", "block-1-rack-12"));
  EXPECT_TRUE(is_in("^node-[0-9]+$", "node-17"));
  EXPECT_FALSE(is_in("^node-[0-9]+$", "node-17b"));
  EXPECT_TRUE(is_in(R"(^(?:gpu|cpu)-\d{2,3}$)", "gpu-123"));
  EXPECT_FALSE(is_in(R"(^(?:gpu|cpu)-\d{2,3}$)", "gpu-1"));
  EXPECT_TRUE(is_in(R"((?i)\bNODE)", "my-node"));
  EXPECT_FALSE(is_in("", "any")) << "an empty selector selects nothing";
}

TEST(Topology, TOPO5_an_expression_that_is_none_is_an_error_with_its_reason) {
  const std::map<std::string, std::string> faults{
      {"n[", "\"n[\" is no regular expression: missing ]: ["},
      {"rack-(1", "\"rack-(1\" is no regular expression: missing ): rack-(1"},
      {"*a", "no argument for repetition operator: *"},
      {"[b-a]", "invalid character class range: b-a"},
      {"(?=n)", "invalid perl operator: (?="},
      {R"((n)\1)", R"(invalid escape sequence: \1)"}};
  for (const auto& [pattern, fault] : faults) {
    const std::string error = error_of(with_pattern(pattern));
    EXPECT_NE(error.find(fault), std::string::npos) << error;
    EXPECT_NE(error.find("pattern"), std::string::npos) << error;
  }
}

TEST(Topology, no_expression_is_long_to_read_or_to_match) {
  const auto start = std::chrono::steady_clock::now();
  for (const std::string pattern :
       {"((a{1000}){1000}){1000}", "(((){1000}){1000}){1000}", "a{1001}", R"((\pL{100}){10})"}) {
    EXPECT_NE(error_of(with_pattern(pattern)).find("no regular expression"), std::string::npos)
        << pattern;
  }
  for (const char c : {'(', 'a'}) {
    const std::string error = error_of(with_pattern(std::string(100'000, c)));
    EXPECT_NE(error.find("has 100000 bytes, expected at most 4096"), std::string::npos);
    EXPECT_LT(error.size(), 400U);
    EXPECT_LT(error_of(with_pattern(std::string(4'096, c))).size(), 400U);
  }
  // Backtracking would need 2^30 steps.
  std::string most = "^";
  for (int i = 0; i < 30; ++i) most += "(a?)";
  EXPECT_TRUE(is_in(most + std::string(30, 'a') + "$", std::string(30, 'a')));
  // So many states that they do not fit in the memory.
  EXPECT_TRUE(is_in("[ab]*a[ab]{200}c", std::string(250, 'a') + "c"));
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(10));
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
  const auto odd = std::get<HyperNodeObject>(live("{apiVersion: topology.volcano.sh/v1alpha1, "
                                                  "kind: HyperNode, metadata: {name: s}, spec: " +
                                                  with_pattern("n[") + "}")
                                                 .object);
  EXPECT_NE(odd.fault.find("\"n[\" is no regular expression: missing ]: ["), std::string::npos)
      << odd.fault;
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
