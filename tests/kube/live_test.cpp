#include <gtest/gtest.h>

#include <string>

#include "berth/model/quantity.h"
#include "kube/codecs.h"
#include "kube/yaml_value.h"

// Objects of the API server with parts that cannot be read (API-25).

namespace berth::kube {
namespace {

struct LivePod {
  PodObject pod;
  std::string complaint;  // empty: none
};

LivePod live(const std::string& yaml) {
  const document::Value value = value_of(yaml);
  EXPECT_FALSE(decode_pod(value, "f").has_value()) << "a file with this is refused: " << yaml;
  Complaint complaint;
  const auto pod = decode_pod(value, "f", &complaint);
  EXPECT_TRUE(pod.has_value()) << pod.error().to_string();
  return {pod ? *pod : PodObject(), complaint ? complaint->message : ""};
}

std::string with_node(const std::string& spec) {
  return "{metadata: {name: p}, spec: {nodeName: n1, " + spec + "}, status: {phase: Running}}";
}

TEST(LivePod, API25_a_hint_that_cannot_be_read_is_ignored) {
  const auto [pod, complaint] = live(R"({
    metadata: {name: p, namespace: ns, uid: u, annotations: {berth.dev/run-time: an hour}},
    spec: {nodeName: n1, containers: [{resources: {requests: {cpu: 2}}}]},
    status: {phase: Succeeded}})");
  EXPECT_EQ(pod.full_name(), "ns/p");
  EXPECT_EQ(pod.uid, "u");
  EXPECT_EQ(pod.node_name, "n1");
  EXPECT_EQ(pod.phase, PodPhase::succeeded);
  EXPECT_EQ(pod.request.at("cpu"), 2000);
  EXPECT_EQ(pod.run_time, std::nullopt);
  EXPECT_EQ(pod.constraints.fault, "");
  EXPECT_EQ(complaint.find("metadata.annotations[\"berth.dev/run-time\"]: "), 0U) << complaint;
}

TEST(LivePod, API25_an_amount_beyond_all_bounds_is_the_greatest) {
  const auto [pod, complaint] =
      live(with_node("containers: [{resources: {requests: {memory: 8Ei, cpu: 1}}}]"));
  EXPECT_EQ(pod.request.at("memory"), kAmountMax);
  EXPECT_EQ(pod.request.at("cpu"), 1000);
  EXPECT_EQ(pod.constraints.fault, "");
  EXPECT_EQ(complaint,
            "spec.containers[0].resources.requests.memory: \"8Ei\" is more than Berth can count, "
            "expected at most 9007199254740992");
  const std::string half = "{resources: {requests: {memory: 5Pi}}}";
  const auto sum = live(with_node("containers: [" + half + ", " + half + "]"));
  EXPECT_EQ(sum.pod.request.at("memory"), kAmountMax);
  EXPECT_EQ(sum.pod.constraints.fault, "");
}

TEST(LivePod, API25_a_term_that_compares_with_no_number_stays) {
  const auto [pod, complaint] = live(with_node(
      "affinity: {nodeAffinity: {requiredDuringSchedulingIgnoredDuringExecution: "
      "{nodeSelectorTerms: [{matchExpressions: [{key: gen, operator: Gt, values: [abc]}]}]}}}"));
  ASSERT_EQ(pod.constraints.required_terms.size(), 1U);
  EXPECT_EQ(pod.constraints.required_terms[0].labels,
            (std::vector<Expression>{{"gen", Operator::greater, {"abc"}}}));
  EXPECT_EQ(pod.constraints.fault, "");
  EXPECT_NE(complaint, "");
}

TEST(LivePod, API25_any_other_fault_is_kept_with_all_that_can_be_read) {
  const char* const odd[] = {"tolerations: [{operator: Like}]", "priority: high", "containers: [1]",
                             "hostNetwork: 'true'",
                             "containers: [{resources: {requests: {memory: -1}}}]"};
  for (const char* spec : odd) {
    const auto [pod, complaint] = live(with_node(spec));
    EXPECT_EQ(pod.node_name, "n1") << spec;
    EXPECT_EQ(pod.phase, PodPhase::running) << spec;
    EXPECT_EQ(pod.constraints.fault, complaint) << spec;
    EXPECT_EQ(complaint.find("spec."), 0U) << complaint;
  }
  Complaint complaint;
  EXPECT_FALSE(decode_pod(value_of("{metadata: {}}"), "f", &complaint).has_value());
}

TEST(LivePod, API25_what_it_says_about_its_eviction_has_no_effect_if_it_cannot_be_read) {
  for (const char* terms : {"volcano.sh/preemptable: never", "volcano.sh/preemptable: ''",
                            "volcano.sh/cooldown-time: an hour", "volcano.sh/cooldown-time: -5m"}) {
    const auto [pod, complaint] =
        live(std::string("{metadata: {name: p, annotations: {") + terms + "}}}");
    EXPECT_EQ(pod.name, "p");
    EXPECT_TRUE(pod.eviction.are_empty()) << terms;
    EXPECT_EQ(pod.constraints.fault, "");
    EXPECT_EQ(complaint.find("metadata.annotations[\"volcano.sh/"), 0U) << complaint;
  }
}

TEST(LivePod, API25_there_is_no_complaint_without_a_fault) {
  Complaint complaint;
  const auto pod = decode_pod(value_of(with_node("containers: []")), "f", &complaint);
  ASSERT_TRUE(pod.has_value());
  EXPECT_FALSE(complaint);
  EXPECT_EQ(pod->constraints.fault, "");
}

TEST(LiveNode, API25_is_closed_if_a_part_of_it_cannot_be_read) {
  const auto live_node = [](const std::string& rest) {
    Complaint complaint;
    const auto node = decode_node(value_of("{metadata: {name: n}, " + rest + "}"), "f", &complaint);
    EXPECT_TRUE(node.has_value() && complaint) << rest;
    return node ? *node : NodeObject();
  };
  const NodeObject large =
      live_node("status: {allocatable: {memory: 9Pi, ephemeral-storage: 10Pi, cpu: 4}}");
  EXPECT_FALSE(large.unschedulable);
  EXPECT_EQ(large.allocatable.at("memory"), kAmountMax - 1);
  EXPECT_EQ(large.allocatable.at("ephemeral-storage"), kAmountMax - 1);
  EXPECT_EQ(large.allocatable.at("cpu"), 4000);
  const NodeObject odd =
      live_node("spec: {taints: [{key: a, effect: Odd}]}, status: {allocatable: {cpu: 4}}");
  EXPECT_TRUE(odd.unschedulable);
  EXPECT_EQ(odd.allocatable.at("cpu"), 4000);
}

TEST(LiveGroup, API25_has_a_fault_unless_only_its_status_is_odd) {
  const auto live_group = [](const std::string& rest) {
    const document::Value value = value_of("{metadata: {name: g}, " + rest + "}");
    EXPECT_FALSE(decode_pod_group(value, "f").has_value()) << rest;
    Complaint complaint;
    const auto group = decode_pod_group(value, "f", &complaint);
    EXPECT_TRUE(group.has_value() && complaint) << rest;
    return group ? *group : PodGroupObject();
  };
  EXPECT_EQ(live_group("spec: {minMember: -1}").fault.find("spec.minMember: "), 0U);
  const PodGroupObject huge = live_group("spec: {minMember: 3, minResources: {memory: 8Ei}}");
  EXPECT_EQ(huge.fault, "");
  EXPECT_EQ(huge.min_resources->at("memory"), kAmountMax);
  const PodGroupObject status = live_group("spec: {minMember: 3}, status: {running: -1}");
  EXPECT_EQ(status.fault, "");
  EXPECT_EQ(status.min_member, 3);
  EXPECT_EQ(status.written, WrittenStatus());
}

}  // namespace
}  // namespace berth::kube
