#include "berth/base/clock.h"

namespace berth {

TimePoint SystemClock::now() const {
  return std::chrono::time_point_cast<Duration>(std::chrono::system_clock::now());
}

TimePoint SteadyClock::now() const {
  return TimePoint(std::chrono::steady_clock::now().time_since_epoch());
}

}  // namespace berth
