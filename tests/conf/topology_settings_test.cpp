#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "conf/sections.h"

namespace berth::conf::topology_settings_test {
namespace {

std::string error_of(const std::string& levels) {
  const auto config = with_sections("topology: {levels: " + levels + "}\n");
  return config ? "" : config.error().to_string();
}

TEST(TopologySettings, TOPO1_levels_are_labels_of_nodes) {
  EXPECT_TRUE(with_sections("")->topology.levels.empty());
  const auto config = with_sections(
      "topology:\n  levels: [topology.kubernetes.io/zone, example.com/rack, "
      "kubernetes.io/hostname]\n");
  ASSERT_TRUE(config) << config.error().to_string();
  EXPECT_EQ(config->topology.levels,
            (std::vector<std::string>{"topology.kubernetes.io/zone", "example.com/rack",
                                      "kubernetes.io/hostname"}));
  EXPECT_TRUE(with_sections("topology: {levels: []}\n")->topology.levels.empty());
}

TEST(TopologySettings, TOPO3_other_levels_are_refused_with_their_place) {
  EXPECT_EQ(error_of("[a b]"),
            "c.yaml:3:21: topology.levels[0]: \"a b\" is no label, expected one such as "
            "\"example.com/rack\"");
  EXPECT_NE(error_of("[a, b, a]").find("topology.levels: a second level \"a\", expected each once"),
            std::string::npos)
      << error_of("[a, b, a]");
  EXPECT_NE(error_of("[kubernetes.io/hostname, a]").find("is not its last level"),
            std::string::npos);
  EXPECT_NE(error_of("7"), "");
  const auto unknown = with_sections("topology: {level: [a]}\n");
  ASSERT_FALSE(unknown);
  EXPECT_NE(unknown.error().to_string().find("did you mean \"levels\""), std::string::npos);
}

}  // namespace
}  // namespace berth::conf::topology_settings_test
