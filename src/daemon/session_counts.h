#pragma once

#include <cstddef>

#include "berth/model/cluster.h"
#include "berth/model/plan.h"
#include "telemetry/metrics.h"

namespace berth::daemon {

// Of a session that took `events` in, for the metrics.
telemetry::SessionCounts counts_of(const Plan& plan, const Cluster& cluster, std::size_t events,
                                   Duration took);

}  // namespace berth::daemon
