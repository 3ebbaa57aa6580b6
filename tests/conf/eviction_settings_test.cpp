#include <gtest/gtest.h>

#include <chrono>
#include <string>

#include "conf/sections.h"

namespace berth::conf {
namespace {

TEST(EvictionSettings, ClaimsStandForSoLong) {
  ASSERT_TRUE(with_sections("claimTimeout: 30s\n"));
  EXPECT_EQ(with_sections("claimTimeout: 30s\n")->session.claim_patience, std::chrono::seconds(30));
  EXPECT_EQ(with_sections("")->session.claim_patience, std::chrono::minutes(10));
  const auto odd = with_sections("claimTimeout: 0s\n");
  ASSERT_FALSE(odd);
  EXPECT_NE(odd.error().to_string().find("1s to 24h"), std::string::npos);
}

TEST(EvictionSettings, LIMIT1NumbersAndSharesAreRead) {
  const auto config =
      with_sections("evictionLimit: {cluster: {pods: 7, share: 100%}, queue: {share: 0%}}\n");
  ASSERT_TRUE(config) << config.error().to_string();
  const engine::EvictionLimits& limits = config->session.eviction_limits;
  EXPECT_EQ(limits.cluster, (engine::EvictionLimit{7, 100}));
  EXPECT_EQ(limits.queue, (engine::EvictionLimit{50, 0}));
  ASSERT_TRUE(with_sections(""));
  EXPECT_EQ(with_sections("")->session.eviction_limits, engine::EvictionLimits());
}

TEST(EvictionSettings, LIMIT1OtherValuesAreRefused) {
  for (const char* bad : {"{cluster: {pods: 0}}", "{queue: {pods: 1000001}}", "{queue: {share: 5}}",
                          "{queue: {share: 101%}}", "{queue: {share: -1%}}",
                          "{queue: {share: 1.5%}}", "{queue: {share: '%'}}", "{queue: {share: ''}}",
                          "{queues: {pods: 5}}", "{cluster: {pod: 5}}", "{cluster: 5}"}) {
    const auto config = with_sections(std::string("evictionLimit: ") + bad + "\n");
    ASSERT_FALSE(config) << bad;
    EXPECT_NE(config.error().to_string().find("evictionLimit"), std::string::npos) << bad;
  }
}

}  // namespace
}  // namespace berth::conf
