#pragma once

#include <optional>
#include <string>

#include "tools/console.h"
#include "tools/planning.h"

namespace berth::tools {

// Flags as given. Empty or absent means the default.
struct PlanFlags {
  PlanningFlags planning;
  std::string explain;
  std::optional<std::string> output;
};

int run_plan(const PlanFlags& flags, Console& console);

}  // namespace berth::tools
