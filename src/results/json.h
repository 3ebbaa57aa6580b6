#pragma once

#include <span>
#include <string>

#include "results/measures.h"

namespace berth::results {

// RESULT-11: {"apiVersion": "berth.dev/v1", "kind": "Simulation", "runs": [...]}, with a line for
// each job. Times are in seconds from the start of the trace; whole numbers have no point.
std::string json_text(std::span<const JudgedRun> runs);

}  // namespace berth::results
