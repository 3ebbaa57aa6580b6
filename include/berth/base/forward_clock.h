#pragma once

#include <mutex>

#include "berth/base/clock.h"

namespace berth {

// A wall clock that never goes back. If the wall clock is set back, this clock follows the steady
// clock until the wall clock is ahead again; otherwise a wait of a second could last an hour. Any
// thread.
class ForwardClock final : public Clock {
 public:
  ForwardClock() : ForwardClock(system_, steady_) {}
  // Both must outlive this clock.
  ForwardClock(const Clock& wall, const Clock& steady);

  TimePoint now() const override;

 private:
  SystemClock system_;
  SteadyClock steady_;
  const Clock& wall_;
  const Clock& pace_;
  mutable std::mutex mutex_;
  mutable TimePoint now_;
  mutable TimePoint at_;  // on the steady clock
};

}  // namespace berth
