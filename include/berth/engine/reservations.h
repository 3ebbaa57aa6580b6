#pragma once

#include <optional>
#include <vector>

#include "berth/engine/session.h"

namespace berth::engine {

// The time of the first lock on these nodes; none if there is no lock.
std::optional<TimePoint> first_lock(const Cluster& cluster, const std::vector<NodeId>& locked);

// The reservation of a target: its nodes, its terms, and what it still lacks.
Reservation describe_reservation(Session& session, JobId target);

}  // namespace berth::engine
