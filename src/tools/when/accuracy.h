#pragma once

#include "tools/console.h"
#include "tools/output.h"
#include "tools/server.h"

namespace berth::tools {

// ACCURACY-1. How good the forecasts of a running berthd have been: prints it, and returns the exit
// code.
int show_accuracy(const ServerFlags& server, Form form, Console& console);

}  // namespace berth::tools
