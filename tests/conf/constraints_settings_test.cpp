#include <gtest/gtest.h>

#include <string>

#include "conf/sections.h"

namespace berth::conf {
namespace {

TEST(ConstraintsSettings, VolumesArePlannedForUnlessTheySayNo) {
  ASSERT_TRUE(with_sections(""));
  EXPECT_TRUE(with_sections("")->constraints.volumes);
  ASSERT_TRUE(with_sections("constraints: {volumes: false}\n"));
  EXPECT_FALSE(with_sections("constraints: {volumes: false}\n")->constraints.volumes);
}

TEST(ConstraintsSettings, OtherWordsAreRefused) {
  const auto odd = with_sections("constraints: {volumes: some}\n");
  ASSERT_FALSE(odd);
  EXPECT_NE(odd.error().to_string().find("constraints.volumes"), std::string::npos);
  const auto unknown = with_sections("constraints: {volume: true}\n");
  ASSERT_FALSE(unknown);
  EXPECT_NE(unknown.error().to_string().find("did you mean \"volumes\""), std::string::npos)
      << unknown.error().to_string();
}

TEST(ConstraintsSettings, SPREAD8DefaultSpreadsAreAsKubeSchedulersAre) {
  const auto config = with_sections(
      "constraints:\n  defaultSpread:\n  - {topologyKey: zone, maxSkew: 3, minDomains: 2}\n"
      "  - {topologyKey: rack, whenUnsatisfiable: DoNotSchedule, nodeTaintsPolicy: Honor, "
      "nodeAffinityPolicy: Ignore}\n");
  ASSERT_TRUE(config) << config.error().to_string();
  const auto& spreads = config->constraints.default_spreads;
  ASSERT_EQ(spreads.size(), 2U);
  EXPECT_EQ(spreads[0].topology_key, "zone");
  EXPECT_EQ(spreads[0].max_skew, 3);
  EXPECT_EQ(spreads[0].min_domains, 2);
  EXPECT_EQ(spreads[0].taints, NodePolicy::ignore);
  EXPECT_EQ(spreads[1].max_skew, 1);
  EXPECT_EQ(spreads[1].taints, NodePolicy::honor);
  EXPECT_EQ(spreads[1].affinity, NodePolicy::ignore);
}

TEST(ConstraintsSettings, SPREAD8WrongDefaultSpreadsAreRefused) {
  for (const char* const wrong :
       {"{maxSkew: 1}", "{topologyKey: a, maxSkew: 0}", "{topologyKey: a, labelSelector: {}}",
        "{topologyKey: a, whenUnsatisfiable: ScheduleAnyway}",
        "{topologyKey: a, nodeTaintsPolicy: honor}", "zone"}) {
    const auto config =
        with_sections("constraints: {defaultSpread: [" + std::string(wrong) + "]}\n");
    ASSERT_FALSE(config) << wrong;
    EXPECT_NE(config.error().to_string().find("constraints.defaultSpread"), std::string::npos)
        << config.error().to_string();
  }
}

}  // namespace
}  // namespace berth::conf
