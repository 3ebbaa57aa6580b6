#pragma once

#include "berth/engine/session.h"

namespace berth::actions {

// Places each target's minimum, if there is room for it on the nodes that are locked for it and
// those that are open; steps R1 and R2 of docs/design/reserve.md. One that does not find room
// is told why, and stays as it is.
void serve_targets(engine::Session& session);

}  // namespace berth::actions
