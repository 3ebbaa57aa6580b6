#pragma once

#include "berth/engine/fit.h"

namespace berth::engine {

// RELATION-10. kube-scheduler asks some filters before those of ports and room, the others after.
// Does the node pass those before?
bool passes_before_room(const Place& place);

// The first refusal of those after, room among them, that a session's plugins enforce; room is what
// can be given away now.
Verdict refusal_from_room_on(const Session& session, const Shape& shape, NodeId node);

}  // namespace berth::engine
