#include "kube/known_fields.h"

#include "kube/children_support.h"

namespace berth::kube {
namespace {

std::string pod(const std::string& metadata, const std::string& container) {
  return "apiVersion: v1\nkind: Pod\nmetadata: {" + metadata +
         "}\nspec:\n  containers:\n  - name: c\n    " + container + "\n";
}

TEST(KnownFields, refuse_a_typing_error_with_its_place_and_the_right_word) {
  EXPECT_EQ(error_in(pod("name: a", "resorces: {requests: {cpu: 1}}")),
            "f.yaml:7:5: spec.containers[0].resorces: no such field; did you mean \"resources\"?");
  EXPECT_EQ(error_in(pod("name: a, lables: {}", "image: x")),
            "f.yaml:3:21: metadata.lables: no such field; did you mean \"labels\"?");
  EXPECT_EQ(error_in("apiVersion: v1\nkind: Pod\nmetadata: {name: a}\nspce: {}\n"),
            "f.yaml:4:1: spce: no such field; did you mean \"spec\"?");
}

TEST(KnownFields, refuse_a_typing_error_in_a_template) {
  const std::string spec = "metadata: {name: a}\nspec:\n  paralelism: 3\n  template: {}\n";
  EXPECT_EQ(error_in("apiVersion: batch/v1\nkind: Job\n" + spec),
            "f.yaml:5:3: spec.paralelism: no such field; did you mean \"parallelism\"?");
  const std::string job_set =
      "apiVersion: jobset.x-k8s.io/v1alpha2\nkind: JobSet\nmetadata: {name: a}\nspec:\n"
      "  replicatedJobs:\n  - name: x\n    template:\n      spec:\n        template:\n"
      "          spec:\n            nodeSelecter: {a: b}\n            containers: [{name: c}]\n";
  EXPECT_EQ(
      error_in(job_set),
      "f.yaml:11:13: spec.replicatedJobs[0].template.spec.template.spec.nodeSelecter: no such "
      "field; did you mean \"nodeSelector\"?");
}

TEST(KnownFields, warn_of_what_a_newer_kubernetes_may_have) {
  const Manifests manifests = read(pod("name: a", "quantumEntanglement: strong"));
  ASSERT_EQ(manifests.warnings.size(), 1u);
  EXPECT_EQ(manifests.warnings.front(),
            "f.yaml:7:5: spec.containers[0].quantumEntanglement: no such field in the Kubernetes "
            "that berth knows; it is ignored");
}

TEST(KnownFields, are_not_looked_at_in_what_a_cluster_has_stored) {
  const Manifests manifests = read(pod("name: a, uid: u", "resorces: {}"));
  EXPECT_TRUE(manifests.warnings.empty());
  EXPECT_EQ(pods_in(manifests).size(), 1u);
}

TEST(KnownFields, leave_maps_of_any_keys_alone) {
  const Manifests manifests = read(
      pod("name: a, labels: {lables: b}, annotations: {spce: c}",
          "resources: {requests: {cpu: 1, example.com/gpus: 2}, claims: [{name: d, request: e}]}"));
  EXPECT_TRUE(manifests.warnings.empty());
}

TEST(KnownFields, include_those_of_older_versions) {
  const Manifests manifests = read(
      "apiVersion: v1\nkind: Pod\nmetadata: {name: a}\nspec:\n"
      "  workloadRef: {name: w, podGroup: g}\n"
      "  resourceClaims: [{name: c, source: {resourceClaimName: d}}]\n");
  EXPECT_TRUE(manifests.warnings.empty());
}

}  // namespace
}  // namespace berth::kube
