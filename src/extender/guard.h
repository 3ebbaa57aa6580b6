#pragma once

#include "extender/wire.h"
#include "ports/guard_table.h"

namespace berth::extender {

// True if a gang of ours would be below its minimum without these victims. A gang that goes whole
// is not.
bool would_break_a_gang(const ports::GuardTable& guard, const NodeVictims& node);

}  // namespace berth::extender
