#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "kube/codecs.h"
#include "yaml_value.h"

namespace berth::kube {
namespace {

std::vector<std::string> images_of(const std::string& spec) {
  const auto pod =
      decode_pod(value_of("{metadata: {name: p, namespace: ml}, spec: " + spec + "}"), "f.yaml");
  EXPECT_TRUE(pod.has_value()) << spec;
  return pod ? pod->constraints.images : std::vector<std::string>();
}

// Each row: an image as a container names it, and in full.
TEST(Images, NODEORDER6AnImageWithoutATagIsTheLatest) {
  const struct {
    const char* name;
    const char* full;
  } cases[] = {
      {"nginx", "nginx:latest"},
      {"nginx:1.27", "nginx:1.27"},
      {"host:5000/team/train", "host:5000/team/train:latest"},
      {"host:5000/team/train:v2", "host:5000/team/train:v2"},
      {"team/train@sha256:0123", "team/train@sha256:0123"},
  };
  for (const auto& [name, full] : cases) {
    EXPECT_EQ(images_of("{containers: [{name: c, image: '" + std::string(name) + "'}]}"),
              std::vector<std::string>{full})
        << name;
  }
}

TEST(Images, NODEORDER6EachContainerCountsSidecarsAndInitContainersToo) {
  EXPECT_EQ(images_of("{initContainers: [{name: i, image: b}, {name: s, image: a,"
                      " restartPolicy: Always}], containers: [{name: c, image: b}, {name: d}]}"),
            (std::vector<std::string>{"a:latest", "b:latest", "b:latest"}));
}

TEST(Images, NODEORDER6ANodeHasThemByEachOfTheirNames) {
  const auto node =
      decode_node(value_of("{metadata: {name: n1}, status: {allocatable: {cpu: 4}, images: ["
                           "{names: [a@sha256:01, 'a:v1'], sizeBytes: 300000000}, {names: [b:v2]},"
                           " {sizeBytes: 7}]}}"),
                  "f.yaml");
  ASSERT_TRUE(node.has_value());
  EXPECT_EQ(node->images,
            (NamedImages{{"a@sha256:01", 300'000'000}, {"a:v1", 300'000'000}, {"b:v2", 0}}));
}

}  // namespace
}  // namespace berth::kube
