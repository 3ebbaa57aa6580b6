#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "tools/when/forecast.h"

// How two forecasts differ.

namespace berth::tools {

struct ForecastDifference {
  struct Job {
    std::string job;
    std::optional<Duration> by;  // none: before or after, nobody knows its start
  };
  std::vector<Job> earlier, later;  // the largest change first
  std::size_t as_before = 0;
  std::int64_t nodes = 0;  // more, once all have come and gone
  std::size_t stops = 0, stops_before = 0;
  double lost = 0, lost_before = 0;  // nodes times seconds
};

// Of jobs that wait, with and without changes. A second is no difference: sessions decide so often.
ForecastDifference difference_of(const Forecast& with, const Forecast& before);

// "12 jobs start earlier (ml/train by 2h10m), 1 later (etl/x by 5m), 3 as before; 4 nodes more"
std::string summary_of(const ForecastDifference& difference);

}  // namespace berth::tools
