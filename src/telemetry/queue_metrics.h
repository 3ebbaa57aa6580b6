#pragma once

#include <cstddef>
#include <string>

#include "views/queue_table.h"

namespace berth::telemetry {

// Above this many queues, all but the first by name are summed under the label "_other", which no
// queue can be called.
inline constexpr std::size_t kLabelledQueuesMax = 200;

// The queues as gauges in Prometheus' text exposition, in base units: cores, bytes, pieces. Made
// when they are asked for, so the series of a queue that is gone are gone. Resources are those that
// there are any of.
std::string queue_exposition(const views::QueueTable& table);

}  // namespace berth::telemetry
