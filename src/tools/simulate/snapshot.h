#pragma once

#include <string>

#include "berth/base/result.h"
#include "history/recording.h"
#include "tools/console.h"

namespace berth::tools {

// HISTORY-15. A dump of a cluster, as `berth plan` reads it: its nodes, queues and jobs at one
// moment. Jobs that run are in their places, and end as their pods say. Notes go to the console.
Result<history::Recording> read_snapshot(const std::string& file, const std::string& config,
                                         Console& console);

}  // namespace berth::tools
