#pragma once

#include <optional>
#include <string>

#include "tools/console.h"
#include "tools/planning.h"
#include "tools/server.h"

namespace berth::tools {

// As they were given; empty or absent: the default.
struct QueuesFlags {
  PlanningFlags planning;  // `cluster` empty: a running berthd is asked
  ServerFlags server;
  std::string resource;
  std::optional<std::string> output;
};

int run_queues(const QueuesFlags& flags, Console& console);

}  // namespace berth::tools
