#pragma once

#include <vector>

#include "berth/engine/session.h"

namespace berth::actions {

// RELATION-9. The domains in which the job may start whose waiting tasks want each other near, and
// no pod that they want is there yet. First the one with the best node, then by score and name. At
// most 64; only domains with idle room for as many as the minimum lacks. Empty: there is no such
// task.
std::vector<engine::Start> domains_to_start_in(engine::Session& session, const Job& job,
                                               const std::vector<TaskId>& waiting);

}  // namespace berth::actions
