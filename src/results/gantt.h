#pragma once

#include <cstddef>
#include <string>

#include "results/job_times.h"
#include "results/measures.h"

namespace berth::results {

struct GanttLimits {
  std::size_t rectangles = 4'000;
  std::size_t bytes = 600'000;  // above it, jobs have no names
};

// RESULT-13: the places of jobs, time along x and nodes along y. Of at most 200 nodes, the first
// ones; with at most so many rectangles, the largest ones. A sentence says what is left out.
std::string gantt_chart(const JudgedRun& run, const Interval& time, const GanttLimits& limits);

}  // namespace berth::results
