#pragma once

#include <string>

#include "views/reserved_nodes.h"

namespace berth::views {

// "0.702"; empty if the set is not enough, and has no score.
std::string score_text(const ReservedNodes& nodes);

// The missing part of the demand: "4 cpu", or "nodes". Empty if it is met.
std::string missing_text(const ReservedNodes& nodes);

// For people, after the name of the queue: "3 nodes of its own (n1, n2, n3; score 0.702) for 40
// cpu: 28 idle, 8 its own, 4 missing: used by others, which finish".
std::string reserved_nodes_text(const ReservedNodes& nodes);

}  // namespace berth::views
