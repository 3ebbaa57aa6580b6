#pragma once

#include <cstddef>
#include <functional>
#include <vector>

#include "forecast/state.h"

namespace berth::forecast {

struct Starts {
  std::vector<TimePoint> at;  // by the place in State::waiting; max: nobody knows
  std::size_t instants = 0;   // that were looked at
};

// PLANNER-1 to PLANNER-6. When each job that waits starts, if pods end as expected and nobody
// comes. Equal states give equal starts. `is_cancelled`, asked at each instant, ends it: the jobs
// that have no start by then stay without one.
Starts plan_starts(const State& state, const std::function<bool()>& is_cancelled = {});

// PROMISE-1. When targets start at the latest, since their nodes hold them by then, and jobs of
// which backfill has promised it, if all pods keep their limits; by the place in State::waiting.
// max: nobody knows.
std::vector<TimePoint> latest_starts(const State& state,
                                     const std::function<bool()>& is_cancelled = {});

}  // namespace berth::forecast
