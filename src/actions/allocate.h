#pragma once

#include "berth/engine/session.h"

namespace berth::actions {

// Serves the line of allocate until each target that had no turn in this session has had it; nobody
// at all, if there is none. Those behind them wait for allocate.
void serve_as_far_as_targets(engine::Session& session);

}  // namespace berth::actions
