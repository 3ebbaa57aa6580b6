#pragma once

#include <cstddef>
#include <string>

#include "views/queue_table.h"

namespace berth::telemetry {

// Above this number of queues, all but the first by name share the label "_other", which no queue
// can have as its name.
inline constexpr std::size_t kLabelledQueuesMax = 200;

// The queues as gauges in Prometheus' text exposition, in base units: cores, bytes, pieces. They
// are built on request, so a deleted queue has no series. Only resources that exist are shown.
std::string queue_exposition(const views::QueueTable& table);

}  // namespace berth::telemetry
