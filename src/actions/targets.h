#pragma once

#include "actions/placement.h"

// Serves the targets: rules RESERVE-1 and RESERVE-2 of docs/design/reserve.md.

namespace berth::actions {

// It is a target, and its minimum is not placed yet.
bool is_waiting_target(const engine::Session& session, const Job& job);

// Its tasks without a place, those of best effort among them: backfill may not be configured.
Waiting tasks_of_target(const engine::Session& session, const Job& job);

// RESERVE-1. On the nodes that are locked for them, targets come before all other jobs.
void serve_targets(engine::Session& session);

// RESERVE-1, RESERVE-2. Its turn, on its own nodes and on open ones. The caller must ask again for
// the tasks that are left.
Turn serve_target(engine::Session& session, JobId id, Waiting& waiting);

}  // namespace berth::actions
