#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "berth/base/clock.h"
#include "berth/base/result.h"
#include "berth/model/event.h"
#include "conf/config.h"
#include "simulation/report.h"
#include "tools/console.h"

// The common part of the commands that run sessions on manifests.

namespace berth::tools {

// Flags as given. Empty or absent means the default.
struct PlanningFlags {
  std::vector<std::string> cluster;
  std::string config;
  std::optional<std::string> cycles;
  std::optional<std::string> now;
};

struct ClusterInput {
  std::vector<ClusterEvent> objects;
  conf::Config config;
};

// Reads the manifests and the configuration. Progress and warnings go to `err`. Every error is bad
// input.
Result<ClusterInput> read_cluster(const PlanningFlags& flags, Console& console);

// Reads the manifests and runs the sessions. Progress and warnings go to `err`. `explain`: a job,
// see simulation.h. Every error is bad input.
Result<simulation::Report> plan_manifests(const PlanningFlags& flags, const std::string& explain,
                                          Console& console);

}  // namespace berth::tools
