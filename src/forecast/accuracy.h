#pragma once

#include <cstdint>
#include <deque>

#include "forecast/intervals.h"
#include "views/start_table.h"

namespace berth::forecast {

// ACCURACY-1. Forecasts beside what came, of the last thousand jobs. Not thread-safe.
class Accuracy {
 public:
  enum class Outcome : std::uint8_t { earlier, inside, later };

  Outcome add(Duration planned, const Interval& likely, Duration came);
  // Without promises.
  views::ForecastAccuracy figures() const;

 private:
  struct Compared {
    Duration error{};
    Outcome outcome = Outcome::inside;
  };
  std::deque<Compared> last_;
};

const char* to_string(Accuracy::Outcome outcome);  // "earlier"

}  // namespace berth::forecast
