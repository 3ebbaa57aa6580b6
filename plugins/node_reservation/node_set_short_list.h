#pragma once

#include "plugins/node_reservation/node_set_measure.h"

namespace berth::plugins {

// The useful candidates that a good set may have: those that add most, and most for their price, in
// all dimensions together and in each. They may not be enough, though all are. All, if they are
// few.
NodePicks short_list(const NodeSetMeasure& measure);

}  // namespace berth::plugins
