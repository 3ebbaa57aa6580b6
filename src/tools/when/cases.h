#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <string>

#include "berth/base/result.h"
#include "tools/planning.h"
#include "tools/what_if/flags.h"
#include "tools/when/forecast.h"

// One cluster, as it is and as it would be.

namespace berth::tools {

struct CasesOptions {
  std::string config;                // the file of the input's configuration; empty: the built-in
  std::optional<TimePoint> now;      // none: the latest time in the input
  std::optional<Duration> run_time;  // of jobs that wait and say none
};

class Cases {
 public:
  Cases(const ClusterInput& input, CasesOptions options, OnForecast on_progress)
      : input_(input), options_(std::move(options)), on_progress_(std::move(on_progress)) {}

  Result<Forecast> as_it_is();  // with the reasons why jobs wait
  Result<Forecast> with(const WhatIf& changes);

 private:
  Result<Forecast> forecast(const ForecastRequest& asked);
  Status explain(Forecast& forecast) const;

  const ClusterInput& input_;
  CasesOptions options_;
  OnForecast on_progress_;
};

}  // namespace berth::tools
