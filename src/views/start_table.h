#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "berth/base/clock.h"
#include "berth/model/written_status.h"

namespace berth::views {

// Forecast starts beside what came, of the last thousand jobs.
struct ForecastAccuracy {
  std::int64_t jobs = 0;    // that waited and have started
  std::int64_t inside = 0;  // started when it was likely
  std::int64_t earlier = 0, later = 0;
  Duration median_error{};                // of the planned start
  std::int64_t promises = 0, broken = 0;  // since berthd started
};

// When the jobs that wait for room will start, as of one moment.
struct StartTable {
  struct Row {
    std::string job;  // namespace/name
    std::string uid;
    std::string queue;
    WrittenStart start;
    std::optional<TimePoint> planned;  // none: nobody knows
  };

  TimePoint made_at;
  Duration planned_for{};         // of computing
  std::vector<Row> rows;          // by uid
  std::int64_t learned_keys = 0;  // with run times
  ForecastAccuracy accuracy;

  const Row* find(const std::string& uid) const;  // null: none
};

}  // namespace berth::views
