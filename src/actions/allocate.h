#pragma once

#include "berth/engine/session.h"

namespace berth::actions {

// Serves jobs in the order of allocate until each target without a turn in this session has had
// one; serves none if there is no such target. Jobs after the last target wait for allocate.
void serve_as_far_as_targets(engine::Session& session);

}  // namespace berth::actions
