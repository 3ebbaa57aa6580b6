#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "berth/base/clock.h"
#include "berth/base/result.h"
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

// Reads the manifests and runs the sessions. Progress and warnings go to `err`. `explain`: a job,
// see simulation.h. Every error is bad input.
Result<simulation::Report> plan_manifests(const PlanningFlags& flags, const std::string& explain,
                                          Console& console);

}  // namespace berth::tools
