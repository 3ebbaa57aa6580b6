#pragma once

#include <optional>
#include <string>

#include "tools/console.h"
#include "tools/planning.h"
#include "tools/server.h"

namespace berth::tools {

// As they were given; empty or absent: the default.
struct ReservationsFlags {
  PlanningFlags planning;  // `cluster` empty: a running berthd is asked
  ServerFlags server;
  std::optional<std::string> output;
};

int run_reservations(const ReservationsFlags& flags, Console& console);

}  // namespace berth::tools
