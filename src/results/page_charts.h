#pragma once

#include <span>
#include <string>

#include "results/job_times.h"
#include "results/measures.h"

namespace berth::results {

// The charts in which all runs are side by side.
std::string page_charts(std::span<const JudgedRun> runs);

// From the first submission to the last end of all runs.
Interval whole_time_of(std::span<const JudgedRun> runs);

}  // namespace berth::results
