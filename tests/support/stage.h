#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <string>

#include "support/cluster_text.h"

namespace berth::support {

// Applies these lines of a scenario to the world, in order.
inline void bring(World& world, const std::string& lines) {
  std::size_t begin = 0;
  while (begin < lines.size()) {
    const std::size_t end = std::min(lines.find('\n', begin), lines.size());
    SceneLine line(lines.substr(begin, end - begin), "stage");
    begin = end + 1;
    if (line.is_empty()) continue;
    auto changes = read_changes(line, world.now());
    EXPECT_TRUE(changes) << line.text() << ": " << changes.error().to_string();
    if (!changes) continue;
    for (const Change& change : *changes) change.apply(world);
  }
}

// A world from the lines of a scenario, for tests that look closer than a scenario can.
inline std::unique_ptr<World> stage(
    const std::string& text, const engine::SessionConfig& config = default_session_config()) {
  auto made = World::create(config);
  EXPECT_TRUE(made) << made.error().to_string();
  std::unique_ptr<World> world = std::move(made).value();
  bring(*world, text);
  world->mirror().settle(TimePoint());
  return world;
}

inline engine::SessionConfig config_of(const std::string& actions, const std::string& tiers) {
  engine::SessionConfig config;
  SceneLine action_line("actions " + actions, "test");
  SceneLine tier_line("tiers " + tiers, "test");
  EXPECT_TRUE(read_actions(action_line, config));
  EXPECT_TRUE(read_tiers(tier_line, config));
  return config;
}

}  // namespace berth::support
