#pragma once

#include "berth/base/result.h"
#include "engine/configuration.h"

namespace berth::engine {

// Rules ORDER-1 to ORDER-4 of docs/design/reservation.md: actions in an order that cannot work are
// refused, at the action that breaks the rule. Unknown names are refused elsewhere.
Status check_order(const SessionConfig& config);

}  // namespace berth::engine
