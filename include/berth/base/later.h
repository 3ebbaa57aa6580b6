#pragma once

#include "berth/base/clock.h"

namespace berth {

// So long after that time; max, if that is beyond it.
constexpr TimePoint later(TimePoint time, Duration by) {
  return by > TimePoint::max() - time ? TimePoint::max() : time + by;
}

}  // namespace berth
