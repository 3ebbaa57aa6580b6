#pragma once

#include <optional>
#include <string>
#include <vector>

#include "tools/console.h"

namespace berth::tools {

// As they were given; empty or absent: the default.
struct PlanFlags {
  std::vector<std::string> cluster;
  std::string config;
  std::optional<std::string> cycles;
  std::optional<std::string> now;
  std::string explain;
  std::optional<std::string> output;
};

int run_plan(const PlanFlags& flags, Console& console);

}  // namespace berth::tools
