#pragma once

#include <chrono>

#include "berth/base/clock.h"

namespace berth {

// A clock that runs `speed` times as fast as the steady clock, so that an hour can pass in a
// minute. Any thread.
class ScaledClock final : public Clock {
 public:
  // `speed` > 0.
  explicit ScaledClock(TimePoint start, double speed = 1.0);

  TimePoint now() const override;
  // The moment on the steady clock when now() will be `time`, for waits on a condition. Times too
  // far away to represent count as a day ahead.
  std::chrono::steady_clock::time_point steady(TimePoint time) const;

 private:
  TimePoint start_;
  double speed_;
  std::chrono::steady_clock::time_point steady_start_;
};

}  // namespace berth
