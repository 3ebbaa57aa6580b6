#pragma once

#include <optional>
#include <vector>

#include "berth/engine/need.h"
#include "berth/engine/session.h"
#include "engine/bins.h"

namespace berth::plugins {

// Would these nodes, in any order, hold all that is needed once others have finished? They are
// filled by id, as they will be when the time comes.
bool covers(engine::Session& session, const engine::Need& need,
            const engine::ReachableCapacity& reachable, std::vector<NodeId> nodes);

// The part of the need that these nodes, filled in the same way, cannot hold.
engine::Need left_by(engine::Session& session, const engine::Need& need,
                     const engine::ReachableCapacity& reachable, std::vector<NodeId> nodes);

// A few of these nodes that cover the need together with `held`. The nodes are in the order of
// preference: of those that add as much, the first is taken. Nothing: no such set was found.
// If far more than `most` seem necessary, the search for the very fewest is skipped.
std::optional<std::vector<NodeId>> cover_with_few(
    engine::Session& session, const engine::Need& need, const engine::ReachableCapacity& reachable,
    const std::vector<NodeId>& held, const std::vector<NodeId>& nodes, std::size_t most);

// Exactly so many of them that cover, the first such set in their order. Nothing: there is none, or
// there are too many sets to try.
std::optional<std::vector<NodeId>> cover_with_so_many(engine::Session& session,
                                                      const engine::Need& need,
                                                      const engine::ReachableCapacity& reachable,
                                                      std::size_t count,
                                                      const std::vector<NodeId>& nodes);

}  // namespace berth::plugins
