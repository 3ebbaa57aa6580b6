#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "berth/base/clock.h"
#include "berth/base/result.h"
#include "berth/model/event.h"
#include "conf/config.h"
#include "simulation/node_time.h"
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

struct PlanInput {
  ClusterInput cluster;
  std::size_t cycles = 1;
  std::optional<TimePoint> now;               // none: the latest time in the input
  std::vector<simulation::NodeTime> later{};  // nodes of it that come or go later
};

// As read_cluster(), with notes on pods of others.
Result<PlanInput> read_plan_input(const PlanningFlags& flags, Console& console);

// Runs the sessions, with progress.
Result<simulation::Report> plan_input(PlanInput input, const std::string& explain,
                                      Console& console);

// Notes and warnings of the last session.
void note_report(const simulation::Report& report, std::ostream& err);

// Reads the manifests and runs the sessions. Progress and warnings go to `err`. `explain`: a job,
// see simulation.h. Every error is bad input.
Result<simulation::Report> plan_manifests(const PlanningFlags& flags, const std::string& explain,
                                          Console& console);

}  // namespace berth::tools
