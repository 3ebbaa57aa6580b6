#pragma once

#include <map>
#include <string>
#include <vector>

#include "berth/engine/arguments.h"
#include "berth/engine/eviction_limits.h"
#include "berth/model/claim.h"

// The configuration of a session, as a value (DESIGN D8). The conf layer makes it from YAML.
// Scheduler::create (engine/scheduler.h) checks its names against the registry.

namespace berth::engine {

struct Named {
  std::string name;
  std::string where;  // "file:line:column" for complaints
};

struct PluginConfig {
  Named plugin;
  std::vector<Named> disabled_points;  // names of points.h that this plugin shall not answer
  Arguments arguments;
};

using Tier = std::vector<PluginConfig>;

struct SessionConfig {
  std::vector<Named> actions;
  std::vector<Tier> tiers;                            // earlier tiers decide first
  std::map<std::string, Arguments> action_arguments;  // by action name
  std::string where;                                  // the file
  Duration claim_patience = kClaimPatience;           // how long claims stand
  EvictionLimits eviction_limits;                     // how many pods leave within a minute
};

}  // namespace berth::engine
