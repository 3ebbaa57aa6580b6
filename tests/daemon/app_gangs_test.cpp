#include <gtest/gtest.h>

#include "daemon/berthd_process.h"
#include "daemon/manifests.h"
#include "daemon/temporary_directory.h"
#include "support/checkout.h"

// The real berthd, and its stand-in for kube-scheduler.

namespace berth::daemon {
namespace {

constexpr const char* kBound = "berth_extender_calls_total{outcome=\"bound\",verb=\"bind\"}";
constexpr const char* kRefused = "berth_extender_calls_total{outcome=\"refused\",verb=\"bind\"}";
constexpr const char* kHeld = "berth_state{what=\"held_binds\"}";

// As scripts/quickstart, in the steering mode of a deployment, and in the other.
class InBothModes : public testing::TestWithParam<const char*> {
 protected:
  static std::string config() { return support::source_file(GetParam()); }
};

TEST_P(InBothModes, TheQuickstartGangWaitsWithItsReasonAndThenRuns) {
  BerthdProcess berthd({"--embedded", support::source_file("docs/examples/quickstart"), "--config",
                        config(), "--speed", "4", "--exit-when-settled", "--exit-after", "50"});
  EXPECT_EQ(berthd.exit_code(), 0) << berthd.printed();
  const std::string printed = berthd.printed();
  const std::size_t waits = printed.find("job default/training waits: 4 of 8 ");
  const std::size_t planned = printed.find("job default/training planned: 8 pods on ");
  const std::size_t runs = printed.find("job default/training is Running: 8 of 8 pods run");
  ASSERT_NE(waits, std::string::npos) << printed;
  ASSERT_NE(planned, std::string::npos) << printed;
  ASSERT_NE(runs, std::string::npos) << printed;
  EXPECT_LT(waits, planned);
  EXPECT_LT(planned, runs);
  EXPECT_NE(printed.find("insufficient cpu", waits), std::string::npos) << printed;
}

INSTANTIATE_TEST_SUITE_P(Modes, InBothModes,
                         testing::Values("deploy/kustomize/base/berth.yaml", "config/berth.yaml"));

TEST(AppGangs, WhatDoesNotSettleInTimeEndsWithStatus1) {
  TemporaryDirectory directory;
  const std::string file = directory.write("all.yaml", nodes_yaml(1, 1) + gang_yaml("g", 2, 1000));
  BerthdProcess berthd({"--embedded", file, "--exit-when-settled", "--exit-after", "0.5"});
  EXPECT_EQ(berthd.exit_code(), 1) << berthd.printed();
}

// Seven members of eight are with kube-scheduler, which finds no node for the eighth.
TEST(AppGangs, NoMemberIsBoundUntilAllHaveCome) {
  TemporaryDirectory directory;
  directory.write("1-nodes.yaml", nodes_yaml(4, 4));
  directory.write("2-gang.yaml", gang_yaml("g", 8, 2000, "", 1));
  TemporaryDirectory config;
  const std::string settings = config.write("berth.yaml", std::string(kWithoutPredicates));
  BerthdProcess berthd({"--embedded", directory.path().string(), "--config", settings});
  ASSERT_TRUE(berthd.eventually([&] {
    EXPECT_EQ(berthd.metric(kBound), 0);
    return berthd.metric(kHeld) == 7;
  })) << berthd.printed();
  EXPECT_FALSE(berthd.has_printed("job ml/g is Running"));

  directory.write("1-nodes.yaml", nodes_yaml(4, 4, true));
  ASSERT_TRUE(berthd.says("job ml/g is Running: 8 of 8 pods run")) << berthd.printed();
  EXPECT_TRUE(berthd.eventually([&] { return berthd.metric(kBound) == 8; })) << berthd.printed();
  EXPECT_EQ(berthd.metric(kHeld), 0);
}

TEST(AppGangs, AGangThatDoesNotComeTogetherIsBoundInNoPart) {
  TemporaryDirectory directory;
  const std::string manifests =
      directory.write("all.yaml", nodes_yaml(4, 4) + gang_yaml("g", 8, 2000, "", 1));
  const std::string config =
      directory.write("berth.yaml", std::string(kWithoutPredicates) +
                                        "barrier: {timeout: 500ms, maxTimeout: 2s}\n");
  BerthdProcess berthd({"--embedded", manifests, "--config", config});
  ASSERT_TRUE(berthd.eventually([&] {
    EXPECT_EQ(berthd.metric(kBound), 0);
    return berthd.metric(kRefused) >= 7;
  })) << berthd.printed();
  EXPECT_FALSE(berthd.has_printed("is Running"));
}

// Room for five of them at a time, and pods of others come in between.
TEST_P(InBothModes, ManyGangsThatContendRunWholeEach) {
  TemporaryDirectory directory;
  directory.write("1-nodes.yaml", nodes_yaml(10, 4));
  std::string gangs;
  for (int g = 0; g < 12; ++g) gangs += gang_yaml(fmt::format("g{}", g), 8, 1000, "16s");
  for (int p = 0; p < 8; ++p) {
    gangs += pod_yaml({.name = fmt::format("other-{}", p),
                       .scheduler = "default-scheduler",
                       .milli_cpu = 500,
                       .run_time = "2s",
                       .priority = 10});
  }
  directory.write("2-gangs.yaml", gangs);
  BerthdProcess berthd({"--embedded", directory.path().string(), "--config", config(), "--speed",
                        "4", "--exit-when-settled", "--exit-after", "110"});
  const auto code = berthd.exit_code(std::chrono::seconds(120));
  EXPECT_EQ(code, 0) << berthd.printed();
  for (int g = 0; g < 12; ++g) {
    EXPECT_EQ(berthd.count_of_lines(fmt::format("job ml/g{} is Running: 8 of 8 pods run", g)), 1u)
        << berthd.printed();
  }
  EXPECT_EQ(berthd.count_of_lines(" is Unknown: "), 0u) << "some members ran without the others";
}

TEST_P(InBothModes, AThousandPodsOnTwoHundredNodesSettle) {
  TemporaryDirectory directory;
  std::string text = nodes_yaml(200, 16);
  int pods = 0;
  int gangs = 0;
  for (; pods < 1000; ++gangs) {
    const int members = std::min(8 + gangs % 5 * 6, 1000 - pods);
    text += gang_yaml(fmt::format("g{}", gangs), members, 2000);
    pods += members;
  }
  BerthdProcess berthd({"--embedded", directory.write("all.yaml", text), "--config", config(),
                        "--speed", "5", "--exit-when-settled", "--exit-after", "110"});
  EXPECT_EQ(berthd.exit_code(std::chrono::seconds(120)), 0) << berthd.printed();
  EXPECT_EQ(berthd.count_of_lines(" is Running: "), static_cast<std::size_t>(gangs))
      << berthd.printed();
  EXPECT_EQ(berthd.count_of_lines(" is Unknown: "), 0u) << berthd.printed();
}

}  // namespace
}  // namespace berth::daemon
