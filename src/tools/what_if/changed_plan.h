#pragma once

#include <string>

#include "berth/base/result.h"
#include "simulation/report.h"
#include "tools/console.h"
#include "tools/planning.h"
#include "tools/what_if/flags.h"

namespace berth::tools {

struct ChangedPlan {
  simulation::Report with;    // explained
  simulation::Report before;  // without the changes
};

// As plan_manifests(), with the changes and without.
Result<ChangedPlan> plan_changed(const PlanningFlags& flags, const WhatIf& changes,
                                 const std::string& explain, Console& console);

}  // namespace berth::tools
