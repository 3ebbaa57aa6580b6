#pragma once

#include <span>
#include <string>

#include "results/measures.h"

namespace berth::results {

// RESULT-12: one HTML page with a table of the measures and charts, the runs side by side. It loads
// nothing, runs no script, and is under 2 MB for any trace and a few runs.
std::string html_text(std::span<const JudgedRun> runs);

}  // namespace berth::results
