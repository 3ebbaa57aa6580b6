#include <gtest/gtest.h>

#include <chrono>
#include <fstream>
#include <iterator>
#include <string>

#include "berth/engine/points.h"
#include "berth/engine/registry.h"
#include "conf/sections.h"
#include "support/checkout.h"

namespace berth::conf::fair_share_settings_test {
namespace {

using std::chrono::hours;

std::string error_of(const std::string& section) {
  const auto config = with_sections("fairShare: " + section + "\n");
  return config ? "" : config.error().to_string();
}

// USAGE-2
TEST(FairShareSettings, HaveAHalfLife) {
  EXPECT_EQ(with_sections("")->fair_share.half_life, hours(168));
  EXPECT_EQ(with_sections("fairShare: {halfLife: 24h}\n")->fair_share.half_life, hours(24));
  EXPECT_EQ(error_of("{halfLife: 10s}"),
            "c.yaml:3:23: fairShare.halfLife: 10s is too short, expected 1m to 8760h");
  EXPECT_NE(error_of("{half: 1h}").find("halfLife"), std::string::npos);
}

// Its plugin decides before those that have orders, too.
TEST(FairShareSettings, HaveAnExample) {
  const std::string path = support::source_file("config/examples/fair-share.yaml");
  std::ifstream stream(path);
  const std::string text{std::istreambuf_iterator<char>(stream), {}};
  const auto config = load_config(
      text, path, {engine::action_names(), engine::plugin_names(), engine::points::names()});
  ASSERT_TRUE(config) << config.error().to_string();
  EXPECT_EQ(config->fair_share.half_life, hours(168));
  EXPECT_TRUE(config->warnings.empty());
  const engine::Tier& tier = config->session.tiers[1];
  ASSERT_EQ(tier[0].plugin.name, "fairshare");
  EXPECT_EQ(tier[3].plugin.name, "proportion");
}

}  // namespace
}  // namespace berth::conf::fair_share_settings_test
