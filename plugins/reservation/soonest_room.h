#pragma once

#include <optional>
#include <vector>

#include "berth/engine/need.h"
#include "berth/engine/session.h"
#include "engine/bins.h"

namespace berth::plugins {

// The room of the nodes at the earliest time at which they cover the need, once those pods have
// ended that end by then by their time limits. `reachable`: once all have. Nothing: nobody knows
// that time, as too many pods have no limit. LOCK-9 of docs/design/reservation.md.
std::optional<engine::ReachableCapacity> soonest_room(engine::Session& session, JobId job,
                                                      const engine::Need& need,
                                                      const engine::ReachableCapacity& reachable,
                                                      const std::vector<NodeId>& nodes);

}  // namespace berth::plugins
