#pragma once

#include <cstddef>

#include "plugins/node_reservation/node_set_measure.h"
#include "plugins/node_reservation/node_set_picking.h"

namespace berth::plugins {

// Makes a set that is enough better: swaps one of its nodes for one of the pool, and, while looks
// are left, takes nodes in or out and mends the set. Each change has a better score than the last.
void improve_by_swaps(const NodeSetMeasure& measure, NodePicking& picking, NodePicks& nodes,
                      const NodePicks& pool, std::size_t fewest);

}  // namespace berth::plugins
