#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "document/readers.h"
#include "kube/codecs.h"
#include "kube/yaml_value.h"

namespace berth::kube {
namespace {

TEST(PodConstraints, name_what_is_not_modelled_but_only_where_it_can_forbid) {
  const std::string required = "requiredDuringSchedulingIgnoredDuringExecution: [{topologyKey: z}]";
  const auto pod = pod_with_spec(
      "{affinity: {podAffinity: {" + required + "}, podAntiAffinity: {" + required +
      "}}, topologySpreadConstraints: [{topologyKey: z},"
      " {topologyKey: z, whenUnsatisfiable: DoNotSchedule}], resourceClaims: [{name: c}],"
      " volumes: [{persistentVolumeClaim: {claimName: v}},"
      " {ephemeral: {}}]}");
  ASSERT_TRUE(pod.has_value()) << pod.error().to_string();
  EXPECT_EQ(pod->constraints.unmodelled,
            (std::vector<std::string>{"lateBindingVolume", "resourceClaims"}));
  const auto soft = pod_with_spec(
      "{affinity: {podAffinity: {preferredDuringSchedulingIgnoredDuringExecution: [{weight: 1,"
      " podAffinityTerm: {topologyKey: z}}]}},"
      " topologySpreadConstraints: [{topologyKey: z, whenUnsatisfiable: ScheduleAnyway}],"
      " volumes: [{emptyDir: {}}], resourceClaims: []}");
  EXPECT_TRUE(soft->constraints.unmodelled.empty());
}

TEST(PodConstraints, HINT1NameFeaturesOfNodesAndFieldsOfANewerKubernetes) {
  const auto unmodelled = [](const std::string& spec) {
    const auto pod = pod_with_spec(spec);
    EXPECT_TRUE(pod.has_value()) << spec;
    return pod ? pod->constraints.unmodelled : std::vector<std::string>();
  };
  const std::vector<std::string> features{"nodeFeatures"};
  EXPECT_EQ(unmodelled("{hostNetwork: true, hostUsers: false}"), features);
  EXPECT_TRUE(unmodelled("{hostNetwork: true, hostUsers: true}").empty());
  EXPECT_TRUE(unmodelled("{hostUsers: false}").empty());
  for (const char* const kind : {"containers", "initContainers"}) {
    const std::string rules = std::string("{") + kind + ": [{restartPolicyRules: [{action: ";
    EXPECT_EQ(unmodelled(rules + "RestartAllContainers}]}]}"), features);
    EXPECT_TRUE(unmodelled(rules + "Restart}]}]}").empty());
  }
  EXPECT_EQ(unmodelled("{orbit: low, dnsPolicy: Default}"),
            (std::vector<std::string>{"spec.orbit"}));
}

}  // namespace
}  // namespace berth::kube
