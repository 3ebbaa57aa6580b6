#pragma once

#include <vector>

#include "berth/engine/need.h"
#include "berth/engine/session.h"
#include "berth/engine/unmet_guarantees.h"
#include "plugins/proportion/target_claims.h"

namespace berth::plugins {

// Nodes that could be locked for a target.
struct LockableNodes {
  const Job& target;
  const engine::Need& need;
  const std::vector<NodeId>& nodes;
};

// Rule LOCK-8: do the real capabilities of the target's queue, and of those above it, leave room
// for what the target needs once all others have left these nodes?
engine::Verdict room_for_target(const engine::Session& session, const QueueShares& shares,
                                const engine::UnmetGuarantees& unmet, TargetClaims& claims,
                                const LockableNodes& lockable);

}  // namespace berth::plugins
