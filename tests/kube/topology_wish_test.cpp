#include "kube/topology_wish.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "kube/codecs.h"
#include "kube/yaml_value.h"
#include "support/damage.h"
#include "support/seeds.h"

// Wishes as the controllers of Volcano, Kueue, KAI and Kubernetes write them.

namespace berth::kube::topology_wish_test {
namespace {

using Rules = std::vector<NearRule>;
using Texts = std::vector<std::string>;

constexpr const char* kRack = "cloud.provider.com/topology-rack";
constexpr const char* kBlock = "cloud.provider.com/topology-block";

TopologyWish wish_of_pod(const std::string& annotations, const std::string& labels = "{}") {
  const auto pod = decode_pod(
      value_of("{apiVersion: v1, kind: Pod, metadata: {name: p, labels: " + labels +
               ", annotations: {" + annotations + "}}, spec: {containers: [{name: c}]}}"),
      "f");
  EXPECT_TRUE(pod) << pod.error().to_string();
  return pod ? pod->topology : TopologyWish();
}

TopologyWish wish_of_group(const std::string& spec,
                           const std::string& api = "scheduling.volcano.sh/v1beta1",
                           const std::string& annotations = "{}") {
  const auto group = decode_pod_group(value_of("apiVersion: " + api +
                                               "\nkind: PodGroup\nmetadata: {name: g, "
                                               "annotations: " +
                                               annotations + "}\nspec: " + spec + "\n"),
                                      "f");
  EXPECT_TRUE(group) << group.error().to_string();
  return group ? group->topology : TopologyWish();
}

Texts faults_of_pod(const std::string& annotations) { return wish_of_pod(annotations).faults; }

// --- ours -------------------------------------------------------------------------------------

TEST(TopologyWishes, TOPO9_our_annotations_on_a_pod_are_about_the_pods_that_bear_them) {
  const TopologyWish wish = wish_of_pod(
      "berth.dev/topology-required: example.com/block, "
      "berth.dev/topology-preferred: rack");
  EXPECT_EQ(wish.rules, (Rules{{.written = "berth.dev/topology-preferred",
                                .pods = {.say_so = true},
                                .preferred = {.name = "rack"}},
                               {.written = "berth.dev/topology-required",
                                .pods = {.say_so = true},
                                .required = {.name = "example.com/block"}}}));
  EXPECT_EQ(wish.faults, Texts{});
}

TEST(TopologyWishes, TOPO9_on_an_owner_and_a_group_they_are_about_all_pods) {
  const Rules rules{{.written = "berth.dev/topology-required", .required = {.name = "rack"}}};
  const auto owner = decode_owner(
      value_of("{apiVersion: batch/v1, kind: Job, metadata: {name: j, uid: u, annotations: "
               "{berth.dev/topology-required: rack}}}"),
      "f");
  ASSERT_TRUE(owner) << owner.error().to_string();
  EXPECT_EQ(owner->topology.rules, rules);
  for (const std::string api : {"scheduling.volcano.sh/v1beta1", "scheduling.x-k8s.io/v1alpha1",
                                "scheduling.k8s.io/v1beta1", "scheduling.k8s.io/v1alpha2"}) {
    EXPECT_EQ(wish_of_group("{}", api, "{berth.dev/topology-required: rack}").rules, rules) << api;
  }
}

TEST(TopologyWishes, TOPO11_a_value_that_is_no_level_is_a_sentence_and_the_rest_counts) {
  const TopologyWish wish = wish_of_pod(
      "berth.dev/topology-required: 'a b', "
      "berth.dev/topology-preferred: rack");
  EXPECT_EQ(wish.rules.size(), 1U);
  EXPECT_EQ(wish.faults, Texts{"berth.dev/topology-required (\"a b\" is no label of nodes)"});
  EXPECT_EQ(faults_of_pod("berth.dev/topology-required: ''"),
            Texts{"berth.dev/topology-required (it is empty, expected a level such as a label of "
                  "nodes)"});
}

// --- KAI --------------------------------------------------------------------------------------

// docs/topology/README.md of KAI.
TEST(TopologyWishes, TOPO9_kai_names_a_topology_and_two_levels) {
  const auto owner = decode_owner(value_of(R"(
apiVersion: batch/v1
kind: Job
metadata:
  name: distributed-training
  uid: u
  annotations:
    kai.scheduler/topology: "cluster-topology"
    kai.scheduler/topology-required-placement: "topology.kubernetes.io/zone"
    kai.scheduler/topology-preferred-placement: "topology.kubernetes.io/rack"
)"),
                                  "f");
  ASSERT_TRUE(owner) << owner.error().to_string();
  EXPECT_EQ(
      owner->topology.rules,
      (Rules{
          {.written = "kai.scheduler/topology-preferred-placement",
           .preferred = {.name = "topology.kubernetes.io/rack", .topology = "cluster-topology"}},
          {.written = "kai.scheduler/topology-required-placement",
           .required = {.name = "topology.kubernetes.io/zone", .topology = "cluster-topology"}}}));
}

// docs/topology/segments.md of KAI.
TEST(TopologyWishes, TOPO9_segments_of_kai_are_parts_of_a_template) {
  const std::string worker = "{training.kubeflow.org/replica-type: worker}";
  EXPECT_EQ(
      wish_of_pod("kai.scheduler/topology: cluster-topology, kai.scheduler/segment-size: '4', "
                  "kai.scheduler/segment-topology-required-placement: " +
                      std::string(kRack),
                  worker)
          .rules,
      (Rules{{.written = "kai.scheduler/segment-topology-required-placement",
              .pods = {.say_so = true, .set = "worker"},
              .required = {.name = kRack, .topology = "cluster-topology"},
              .part_size = 4}}));
  EXPECT_EQ(faults_of_pod("kai.scheduler/segment-topology-required-placement: rack"),
            Texts{"kai.scheduler/segment-topology-required-placement (without "
                  "kai.scheduler/segment-size)"});
  EXPECT_EQ(faults_of_pod("kai.scheduler/segment-topology-required-placement: rack, "
                          "kai.scheduler/segment-size: '1'"),
            Texts{"kai.scheduler/segment-size (\"1\" is no number of pods, expected one from 2)"});
}

// --- Kueue ------------------------------------------------------------------------------------

TEST(TopologyWishes, TOPO9_kueue_has_one_level_for_the_pods_of_a_template) {
  const std::string set = "{jobset.sigs.k8s.io/replicatedjob-name: leader}";
  EXPECT_EQ(
      wish_of_pod("kueue.x-k8s.io/podset-required-topology: " + std::string(kBlock), set).rules,
      (Rules{{.written = "kueue.x-k8s.io/podset-required-topology",
              .pods = {.say_so = true, .set = "leader"},
              .required = {.name = kBlock}}}));
  EXPECT_EQ(wish_of_pod("kueue.x-k8s.io/podset-preferred-topology: " + std::string(kRack)).rules,
            (Rules{{.written = "kueue.x-k8s.io/podset-preferred-topology",
                    .pods = {.say_so = true},
                    .preferred = {.name = kRack}}}));
  EXPECT_TRUE(wish_of_pod("kueue.x-k8s.io/podset-unconstrained-topology: 'true'").is_none());
}

// site/static/examples/jobs/sample-jobset-tas-sliced.yaml, and KEP-2724.
TEST(TopologyWishes, TOPO9_slices_of_kueue_are_parts_and_those_of_a_jobset_are_its_jobs) {
  EXPECT_EQ(wish_of_pod("kueue.x-k8s.io/podset-slice-required-topology: " + std::string(kRack) +
                            ", kueue.x-k8s.io/podset-slice-size: 4",
                        "{jobset.sigs.k8s.io/replicatedjob-name: workers}")
                .rules,
            (Rules{{.written = "kueue.x-k8s.io/podset-slice-required-topology",
                    .pods = {.say_so = true, .set = "workers"},
                    .required = {.name = kRack},
                    .part_size = 4}}));
  const TopologyWish by_job =
      wish_of_pod("kueue.x-k8s.io/podset-slice-required-topology: " + std::string(kRack),
                  "{jobset.sigs.k8s.io/replicatedjob-name: w, jobset.sigs.k8s.io/job-key: k}");
  ASSERT_EQ(by_job.rules.size(), 1U);
  EXPECT_EQ(by_job.rules[0].pods.parted_by, Texts{"jobset.sigs.k8s.io/job-key"});
  EXPECT_EQ(by_job.rules[0].part_size, 0);
  EXPECT_EQ(faults_of_pod("kueue.x-k8s.io/podset-slice-required-topology: rack"),
            Texts{"kueue.x-k8s.io/podset-slice-required-topology (without "
                  "kueue.x-k8s.io/podset-slice-size)"});
  EXPECT_EQ(faults_of_pod("kueue.x-k8s.io/podset-slice-size: '4'"),
            Texts{"kueue.x-k8s.io/podset-slice-size (without "
                  "kueue.x-k8s.io/podset-slice-required-topology)"});
  EXPECT_EQ(faults_of_pod("kueue.x-k8s.io/podset-slice-required-topology: rack, "
                          "kueue.x-k8s.io/podset-slice-size: few"),
            Texts{"kueue.x-k8s.io/podset-slice-size (\"few\" is no number of pods, expected one "
                  "from 1)"});
}

// Story of multi-layer topologies in KEP-2724.
TEST(TopologyWishes, TOPO9_layers_of_kueue_are_parts_of_several_sizes) {
  const std::string key = "kueue.x-k8s.io/podset-slice-required-topology-constraints";
  const TopologyWish wish = wish_of_pod(
      key + R"(: '[{"topology": "aizone", "size": "64"}, {"topology": "rack", "size": 16}]')");
  ASSERT_EQ(wish.rules.size(), 2U);
  EXPECT_EQ(wish.rules[0].required.name, "aizone");
  EXPECT_EQ(wish.rules[0].part_size, 64);
  EXPECT_EQ(wish.rules[1].part_size, 16);
  for (const std::string odd : {"'[{]'", "'{}'", "'[]'", R"('[{"topology": "a b", "size": 1}]')",
                                R"('[{"topology": "a"}]')", "'[1]'", "'[[]]'"}) {
    EXPECT_EQ(faults_of_pod(key + ": " + odd).size(), 1U) << odd;
  }
  EXPECT_EQ(
      faults_of_pod(key + R"(: '[{"topology": "a", "size": 5}, {"topology": "b", "size": 2}]')"),
      Texts{key + " (the size 5 is no multiple of 2)"});
}

// site/static/examples/serving-workloads/sample-leaderworkerset-tas.yaml of Kueue.
TEST(TopologyWishes, TOPO9_a_group_of_kueue_is_one_set_of_several_templates) {
  const auto of = [](const std::string& index) {
    return wish_of_pod(
        "kueue.x-k8s.io/podset-group-name: lws-group, "
        "kueue.x-k8s.io/podset-required-topology: " +
            std::string(kRack),
        "{leaderworkerset.sigs.k8s.io/worker-index: '" + index + "'}");
  };
  EXPECT_EQ(of("0"), of("2"));
  EXPECT_EQ(of("0").rules.at(0).pods.set, "lws-group");
  EXPECT_EQ(wish_of_pod("kueue.x-k8s.io/podset-required-topology: rack",
                        "{leaderworkerset.sigs.k8s.io/worker-index: '0'}")
                .rules.at(0)
                .pods.set,
            "leader");
  EXPECT_EQ(faults_of_pod("kueue.x-k8s.io/podset-group-name: g").size(), 1U);
  EXPECT_EQ(
      faults_of_pod("kueue.x-k8s.io/podset-group-name: '7', "
                    "kueue.x-k8s.io/podset-required-topology: rack"),
      Texts{"kueue.x-k8s.io/podset-group-name (\"7\" is no name of a group, expected one that "
            "is no number)"});
}

TEST(TopologyWishes, TOPO11_annotations_of_kueue_that_exclude_each_other_are_a_sentence) {
  const TopologyWish wish = wish_of_pod(
      "kueue.x-k8s.io/podset-required-topology: rack, "
      "kueue.x-k8s.io/podset-unconstrained-topology: 'true'");
  EXPECT_EQ(wish.rules.size(), 1U);
  EXPECT_EQ(wish.faults, Texts{"kueue.x-k8s.io/podset-unconstrained-topology (together with "
                               "kueue.x-k8s.io/podset-required-topology, expected one of them)"});
  EXPECT_EQ(faults_of_pod("kueue.x-k8s.io/podset-unconstrained-topology: perhaps").size(), 1U);
}

document::Value& member(document::Value& of, std::string_view key) {
  for (document::Member& each : of.members) {
    if (each.key == key) return each.value;
  }
  ADD_FAILURE() << key;
  return of;
}

TEST(TopologyWishes, TOPO11_a_damaged_annotation_is_a_rule_or_a_sentence) {
  for (const auto& [key, text] : std::vector<std::pair<std::string, std::string>>{
           {"kueue.x-k8s.io/podset-slice-required-topology-constraints",
            R"([{"topology": "aizone", "size": "64"}, {"topology": "rack", "size": 16}])"},
           {"kueue.x-k8s.io/podset-required-topology", kRack},
           {"berth.dev/topology-required", "example.com/rack"}}) {
    document::Value pod =
        value_of("{apiVersion: v1, kind: Pod, metadata: {name: p, annotations: {" + key +
                 ": x}}, spec: {containers: [{name: c}]}}");
    std::string& value = member(member(member(pod, "metadata"), "annotations"), key).text;
    for (const std::uint64_t seed : support::seeds(1'000)) {
      SCOPED_TRACE("BERTH_SEED=" + std::to_string(seed));
      value = support::Damage(seed).of(text);
      const auto decoded = decode_pod(pod, "f");
      ASSERT_TRUE(decoded) << decoded.error().to_string();
      ASSERT_FALSE(decoded->topology.is_none()) << value;
      for (const std::string& fault : decoded->topology.faults) ASSERT_LT(fault.size(), 600U);
    }
  }
}

// --- Volcano ----------------------------------------------------------------------------------

TEST(TopologyWishes, TOPO9_volcano_has_a_mode_and_a_tier) {
  EXPECT_EQ(wish_of_group("{networkTopology: {mode: hard, highestTierAllowed: 2}}").rules,
            (Rules{{.written = "spec.networkTopology (hard)", .required = {.tier = 2}}}));
  EXPECT_EQ(
      wish_of_group("{networkTopology: {mode: soft, highestTierName: spine}}").rules,
      (Rules{{.written = "spec.networkTopology (soft)", .preferred = {.tier_name = "spine"}}}));
  EXPECT_EQ(wish_of_group("{networkTopology: {}}").rules,
            (Rules{{.written = "spec.networkTopology (hard)", .is_as_near_as_can = true}}));
  const TopologyWish odd = wish_of_group(
      "{networkTopology: {mode: firm, highestTierAllowed: 2, highestTierName: spine}}");
  EXPECT_EQ(odd.faults, (Texts{"spec.networkTopology.highestTierName (together with "
                               "highestTierAllowed, expected one of them)",
                               "spec.networkTopology.mode (\"firm\" is none, expected hard or "
                               "soft)"}));
  EXPECT_EQ(odd.rules.size(), 1U);
  EXPECT_TRUE(
      wish_of_group("{networkTopology: {mode: hard}}", "scheduling.x-k8s.io/v1alpha1").is_none())
      << "other APIs have no such field";
}

// The PodGroup that Volcano's Job controller makes in its design document.
TEST(TopologyWishes, TOPO9_sub_groups_of_volcano_are_parts_by_labels) {
  const TopologyWish wish = wish_of_group(R"(
  minMember: 3
  networkTopology:
    mode: hard
    highestTierAllowed: 2
  subGroupPolicy:
    - name: "task0"
      subGroupSize: 3
      labelSelector:
        matchLabels:
          volcano.sh/task-spec: task0
      matchLabelKeys:
        - volcano.sh/partition-id
      networkTopology:
        mode: hard
        highestTierAllowed: 1
    - name: "task1"
      minSubGroups: 2
)");
  const std::vector<Expression> task{{"volcano.sh/task-spec", Operator::in, {"task0"}}};
  EXPECT_EQ(
      wish.rules,
      (Rules{{.written = "spec.networkTopology (hard)", .required = {.tier = 2}},
             {.written = "spec.subGroupPolicy",
              .pods = {.set = "task0", .labels = task, .parted_by = {"volcano.sh/partition-id"}},
              .required = {.tier = 1},
              .part_size = 3},
             {.written = "spec.subGroupPolicy", .pods = {.set = "task1"}, .min_parts = 2}}));
  std::string many = "{subGroupPolicy: [";
  for (int i = 0; i < 70; ++i) many += "{name: t" + std::to_string(i) + "}, ";
  EXPECT_EQ(wish_of_group(many + "]}").faults,
            Texts{"spec.subGroupPolicy (70 of them, expected at most 64)"});
}

// --- Kubernetes -------------------------------------------------------------------------------

TEST(TopologyWishes, TOPO9_groups_of_kubernetes_name_a_label) {
  const std::string api = "scheduling.k8s.io/v1beta1";
  EXPECT_EQ(wish_of_group(
                "{schedulingConstraints: {topology: [{key: topology.kubernetes.io/zone}]}}", api)
                .rules,
            (Rules{{.written = "spec.schedulingConstraints",
                    .required = {.name = "topology.kubernetes.io/zone"}}}));
  EXPECT_EQ(wish_of_group("{schedulingConstraints: {topology: [{key: ''}]}}", api).faults,
            Texts{"spec.schedulingConstraints (\"\" is no label of nodes)"});
  EXPECT_TRUE(wish_of_group("{schedulingConstraints: {}}", api).is_none());
}

}  // namespace
}  // namespace berth::kube::topology_wish_test
