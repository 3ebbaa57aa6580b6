#pragma once

#include <atomic>
#include <cstdint>

#include "berth/base/clock.h"

namespace berth::support {

// A clock that a test moves forward, as if the process had stood still. Any thread.
class JumpingClock final : public Clock {
 public:
  // It runs as `under` does; without, it stands.
  explicit JumpingClock(const Clock* under = nullptr) : under_(under) {}

  TimePoint now() const override {
    const TimePoint start = under_ == nullptr ? TimePoint(std::chrono::hours(1)) : under_->now();
    return start + Duration(ahead_.load());
  }
  void advance(Duration by) { ahead_ += by.count(); }

 private:
  const Clock* const under_;
  std::atomic<std::int64_t> ahead_ = 0;
};

}  // namespace berth::support
