#include "berth/base/forward_clock.h"

#include <algorithm>

namespace berth {

ForwardClock::ForwardClock(const Clock& wall, const Clock& steady)
    : wall_(wall), pace_(steady), now_(wall.now()), at_(steady.now()) {}

TimePoint ForwardClock::now() const {
  const std::lock_guard lock(mutex_);
  const TimePoint at = pace_.now();
  now_ = std::max(wall_.now(), now_ + (at - at_));
  at_ = at;
  return now_;
}

}  // namespace berth
