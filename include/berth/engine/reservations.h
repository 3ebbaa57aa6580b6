#pragma once

#include <optional>
#include <vector>

#include "berth/engine/session.h"

namespace berth::engine {

// The time of the first lock on these nodes; none if there is no lock.
std::optional<TimePoint> first_lock(const Cluster& cluster, const std::vector<NodeId>& locked);

// Tasks of others on the target's nodes that will have left when it starts.
std::vector<TaskId> tasks_before_target(const Cluster& cluster, const Job& target);

// The reservation of a target: its nodes, its terms, and its missing amounts.
Reservation describe_reservation(Session& session, JobId target);

}  // namespace berth::engine
