#pragma once

#include <cstddef>

#include "plugins/node_reservation/node_set_measure.h"

namespace berth::plugins {

// Searches for the best set. Preconditions: something is asked for, and all useful candidates
// together are enough.

struct FoundSet {
  NodePicks nodes;         // ascending; each is needed
  std::size_t fewest = 0;  // the size of the smallest set that was found
};

// The best set. The time doubles with each useful candidate.
FoundSet search_all_sets(const NodeSetMeasure& measure);

// A good set, of any number of candidates.
FoundSet search_greedily(const NodeSetMeasure& measure);

// Nodes to add to `held`, in the order in which they are picked, until they are enough or nothing
// adds. Each adds as much as possible for what it costs in score.
NodePicks additions_by_score(const NodeSetMeasure& measure, const NodePicks& held);
// ... as much as possible: the first of them are the best few.
NodePicks additions_by_size(const NodeSetMeasure& measure, const NodePicks& held);

}  // namespace berth::plugins
