#pragma once

#include <vector>

#include "berth/base/result.h"
#include "berth/model/event.h"
#include "conf/config.h"
#include "history/recording.h"

namespace berth::tools {

// HISTORY-15. A cluster at one moment: its nodes, queues and jobs. Jobs that run are in their
// places, and end as their pods say.
Result<history::Recording> snapshot_of(std::vector<ClusterEvent> objects,
                                       const conf::Config& config, TimePoint now);

}  // namespace berth::tools
