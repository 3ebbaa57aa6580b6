#include <gtest/gtest.h>

#include <string>

#include "berth/base/text.h"
#include "document/readers.h"
#include "kube/codecs.h"

namespace berth::kube {
namespace {

EvictionTerms terms_of(const std::string& metadata) {
  const auto value = document::parse_yaml("metadata: {name: p, " + metadata + "}", "p.yaml");
  const auto pod = decode_pod(*value, "p.yaml");
  const auto group = decode_pod_group(*value, "p.yaml");
  EXPECT_TRUE(pod.has_value() && group.has_value()) << metadata;
  EXPECT_EQ(pod->eviction, group->eviction);
  return pod->eviction;
}

TEST(EvictionTerms, are_an_annotation_or_a_label_of_a_pod_or_a_group) {
  for (const char* no : {"0", "f", "F", "false", "FALSE", "False"}) {
    EXPECT_EQ(terms_of("labels: {volcano.sh/preemptable: '" + std::string(no) + "'}").preemptable,
              false);
  }
  for (const char* yes : {"1", "t", "T", "true", "TRUE", "True"}) {
    EXPECT_EQ(terms_of("labels: {volcano.sh/preemptable: '" + std::string(yes) + "'}").preemptable,
              true);
  }
  EXPECT_EQ(
      terms_of("labels: {volcano.sh/preemptable: 'false', volcano.sh/cooldown-time: 1m},"
               " annotations: {volcano.sh/preemptable: 'true', volcano.sh/cooldown-time: 2m}"),
      (EvictionTerms{true, std::chrono::minutes(2)}));
  EXPECT_EQ(terms_of("labels: {volcano.sh/cooldown-time: 1m30s}").cooldown,
            std::chrono::seconds(90));
}

TEST(EvictionTerms, count_from_the_time_at_which_the_pod_got_its_node) {
  const auto of = [](const std::string& scheduled) {
    const auto value = document::parse_yaml(
        "metadata: {name: p}\nstatus: {conditions: ["
        "{type: Ready, status: 'True', lastTransitionTime: '2026-11-21T09:02:00Z'},"
        "{type: PodScheduled, " +
            scheduled + "}]}",
        "p.yaml");
    return decode_pod(*value, "p.yaml")->scheduled;
  };
  EXPECT_EQ(of("status: 'True', lastTransitionTime: '2026-11-21T09:00:30Z'"),
            *parse_time("2026-11-21T09:00:30Z"));
  EXPECT_EQ(of("status: 'False', lastTransitionTime: '2026-11-21T09:00:30Z'"), std::nullopt);
  EXPECT_EQ(of("status: 'True'"), std::nullopt);
}

}  // namespace
}  // namespace berth::kube
