#include "plugins/fragmentation/usual_kinds.h"

#include <gtest/gtest.h>

#include <string>

#include "support/stage.h"

namespace berth::plugins {
namespace {

// "12 cpu=4000 nvidia.com/gpu=1; ...": weights and amounts, places for pods aside.
std::string kinds_of(const std::string& text) {
  const auto world = support::stage("node n1 cpu=64 mem=64Gi gpu=8 res.x.io/nic=1\n" + text);
  const Cluster& cluster = world->cluster();
  std::string all;
  for (const UsualKind& kind : UsualKinds().of(cluster)) {
    all += (all.empty() ? "" : "; ") + std::to_string(kind.weight);
    for (const auto& [d, amount] : kind.request) {
      if (d != kPods) all += " " + cluster.dimensions().name(d) + "=" + std::to_string(amount);
    }
  }
  return all;
}

TEST(UsualKinds, FRAGMENT2WaitingAndRunningPodsCountAndNoOthers) {
  EXPECT_EQ(kinds_of("pod a cpu=4\npod b cpu=2 mem=1Gi\n"), "");
  EXPECT_EQ(kinds_of("pod a cpu=4\npod b gpu=1\npod c gpu=1 on=n1\npod d unmanaged gpu=1 on=n1\n"
                     "pod e gpu=8\n"),
            "24 nvidia.com/gpu=1; 8 nvidia.com/gpu=8");
}

TEST(UsualKinds, FRAGMENT3OtherResourcesAreTheMeanAndCoarse) {
  // The mean of 1, 2 and 6 cpu is 3,000 = 101110111000b: its highest bits are 2,560.
  EXPECT_EQ(kinds_of("pod a gpu=1 cpu=1\npod b gpu=1 cpu=2\npod c gpu=1 cpu=6\n"),
            "32 cpu=2560 nvidia.com/gpu=1");
}

TEST(UsualKinds, FRAGMENT3SelectorsMakeKindsAndRelationsDoNot) {
  EXPECT_EQ(kinds_of("pod a gpu=1\npod b gpu=1 selector=zone:a\n"
                     "pod c gpu=1 labels=app:x apart=app:x@zone\n"),
            "21 nvidia.com/gpu=1; 11 nvidia.com/gpu=1");
}

TEST(UsualKinds, FRAGMENT3OfSeveralResourcesTheLargestPartCounts) {
  const auto world = support::stage(
      "node n1 cpu=64 gpu=8 res.x.io/nic=1\n"
      "pod a gpu=4 res.x.io/nic=1\n");
  const std::vector<UsualKind> kinds = UsualKinds().of(world->cluster());
  ASSERT_EQ(kinds.size(), 1u);
  EXPECT_EQ(world->cluster().dimensions().name(kinds[0].extended), "x.io/nic");
}

TEST(UsualKinds, WhatIsKeptChangesNothing) {
  const auto world = support::stage("node n1 cpu=64 gpu=8\npod a gpu=1 cpu=1\n");
  UsualKinds kept;
  const auto weights = [&](UsualKinds& kinds) {
    std::vector<std::int32_t> all;
    for (const UsualKind& kind : kinds.of(world->cluster())) all.push_back(kind.weight);
    return all;
  };
  for (const char* const change :
       {"pod b gpu=2\n", "delete pod a\n", "pod c gpu=4\npod d gpu=4\n",
        "node n2 gpu=4 res.x.io/nic=2\n", "pod e gpu=1 res.x.io/nic=2\n", "delete pod b\n"}) {
    (void)kept.of(world->cluster());
    support::bring(*world, change);
    world->mirror().settle(TimePoint());
    UsualKinds fresh;
    EXPECT_EQ(weights(kept), weights(fresh)) << change;
  }
}

TEST(UsualKinds, FRAGMENT3TheMostFrequentEight) {
  std::string text;
  for (int kind = 1; kind <= 10; ++kind) {
    for (int pod = 0; pod < kind; ++pod) {
      text += "pod p" + std::to_string(kind) + "-" + std::to_string(pod) +
              " gpu=" + std::to_string(kind) + "\n";
    }
  }
  const auto world = support::stage("node n1 cpu=64 gpu=10\n" + text);
  const std::vector<UsualKind> kinds = UsualKinds().of(world->cluster());
  ASSERT_EQ(kinds.size(), UsualKinds::kMost);
  const Dimension gpu = world->cluster().dimensions().find("nvidia.com/gpu");
  std::int64_t expected = 10;
  for (const UsualKind& kind : kinds) {
    for (const auto& [d, amount] : kind.request) {
      if (d != gpu) continue;
      EXPECT_EQ(amount, expected--);
    }
  }
}

}  // namespace
}  // namespace berth::plugins
