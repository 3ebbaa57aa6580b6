#pragma once

#include <optional>
#include <string>

#include "tools/console.h"
#include "tools/planning.h"
#include "tools/server.h"

namespace berth::tools {

// Flags as given. Empty or absent means the default.
struct ReservationsFlags {
  PlanningFlags planning;  // with an empty `cluster`, a running berthd answers
  ServerFlags server;
  std::optional<std::string> output;
};

int run_reservations(const ReservationsFlags& flags, Console& console);

}  // namespace berth::tools
