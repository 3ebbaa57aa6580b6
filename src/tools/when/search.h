#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "berth/base/result.h"
#include "tools/when/cases.h"
#include "tools/when/forecast_difference.h"
#include "tools/when/search_candidates.h"

// Small changes with which one job starts in time.

namespace berth::tools {

struct SearchAnswer {
  std::string change;  // as a flag: "--add-nodes 3:like=gpu-1"
  std::optional<Duration> start;
  double lost = 0;                // work that it costs, nodes times seconds
  ForecastDifference difference;  // of all
};

struct SearchResult {
  std::string job;
  TimePoint by;
  std::optional<Duration> start;      // as it is
  bool is_in_time = false;            // as it is: nothing was searched
  std::vector<SearchAnswer> answers;  // the cheapest first
  std::size_t simulations = 0;
  bool was_cut = false;  // by the bound on simulations
};

// Each answer is proved by sessions: limits first, then jobs to move away by the work that they
// lose, then nodes by number. `base`: changes that are made already, and `before` the forecast with
// them. An Error if no such job waits.
Result<SearchResult> search(Cases& cases, const WhatIf& base, const Forecast& before,
                            const std::string& job, TimePoint by,
                            const std::function<void(std::size_t simulations)>& on_progress);

}  // namespace berth::tools
