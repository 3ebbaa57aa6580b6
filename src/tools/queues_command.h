#pragma once

#include <optional>
#include <string>

#include "tools/console.h"
#include "tools/planning.h"
#include "tools/server.h"

namespace berth::tools {

// Flags as given. Empty or absent means the default.
struct QueuesFlags {
  PlanningFlags planning;  // with an empty `cluster`, a running berthd answers
  ServerFlags server;
  std::string resource;
  std::optional<std::string> output;
};

int run_queues(const QueuesFlags& flags, Console& console);

}  // namespace berth::tools
