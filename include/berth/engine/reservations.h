#pragma once

#include <optional>
#include <vector>

#include "berth/engine/session.h"

namespace berth::engine {

// Since when the first of these nodes is locked; none: there is none.
std::optional<TimePoint> first_lock(const Cluster& cluster, const std::vector<NodeId>& locked);

// Tasks of others on the target's nodes that will have left when it starts.
std::vector<TaskId> tasks_before_target(const Cluster& cluster, const Job& target);

// What is kept for a target now, on which terms, and what is missing still.
Reservation describe_reservation(Session& session, JobId target);

}  // namespace berth::engine
