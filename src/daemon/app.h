#pragma once

#include "daemon/flags.h"

namespace berth::daemon {

// Runs berthd until a signal or a flag ends it. Exit status: 0 all is well, 1 it did not settle in
// time or a part failed, 2 bad input. Call with SIGINT and SIGTERM blocked in every thread.
int run(const Flags& flags);

}  // namespace berth::daemon
