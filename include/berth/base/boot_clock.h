#pragma once

#include "berth/base/clock.h"

namespace berth {

// Time since the machine was started, with the time for which it slept: for what others count on
// meanwhile, such as a lease. No step of the wall clock moves it.
class BootClock final : public Clock {
 public:
  TimePoint now() const override;
};

}  // namespace berth
