#pragma once

#include <vector>

#include "berth/engine/session.h"
#include "berth/engine/statement.h"

namespace berth::actions {

// The nodes that no other job or queue has for itself.
std::vector<NodeId> nodes_open_to(const engine::Session& session, JobId job);

// Places what the job lacks of its minimum on these nodes, whatever the scores (RESERVE-2,
// ALLOCATE-11). False: nothing has happened.
bool place_packed(engine::Session& session, const Job& job, const std::vector<NodeId>& nodes,
                  engine::Statement& statement);

}  // namespace berth::actions
