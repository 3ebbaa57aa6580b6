#include "berth/base/scaled_clock.h"

#include <algorithm>

#include "berth/base/check.h"

namespace berth {

using std::chrono::steady_clock;

ScaledClock::ScaledClock(TimePoint start, double speed)
    : start_(start), speed_(speed), steady_start_(steady_clock::now()) {
  BERTH_CHECK(speed > 0);
}

TimePoint ScaledClock::now() const {
  const std::chrono::duration<double, std::nano> elapsed = steady_clock::now() - steady_start_;
  return start_ + std::chrono::duration_cast<Duration>(elapsed * speed_);
}

steady_clock::time_point ScaledClock::steady(TimePoint time) const {
  const double real_ns = static_cast<double>((time - start_).count()) / speed_;
  const auto latest = steady_clock::now() + std::chrono::hours(24);
  const double latest_ns = static_cast<double>((latest - steady_start_).count());
  if (real_ns >= latest_ns) return latest;
  // One more, so that rounding never causes a wake-up just before the time.
  return steady_start_ + Duration(static_cast<std::int64_t>(std::max(real_ns, 0.0)) + 1);
}

}  // namespace berth
