#pragma once

#include <chrono>
#include <cstdint>

namespace berth {

using Duration = std::chrono::nanoseconds;

// Nanoseconds since 1970-01-01T00:00:00Z. Always the wall clock of the cluster or of a simulation.
using TimePoint = std::chrono::time_point<std::chrono::system_clock, Duration>;

// The only way by which time enters a decision. Implementations are safe to call from any thread.
class Clock {
 public:
  virtual ~Clock() = default;
  virtual TimePoint now() const = 0;
};

class SystemClock final : public Clock {
 public:
  TimePoint now() const override;
};

// Time since some moment in the past that no step of the wall clock moves: for deadlines.
class SteadyClock final : public Clock {
 public:
  TimePoint now() const override;
};

// Time under our hand, for tests and simulation. Not thread-safe.
class ManualClock final : public Clock {
 public:
  explicit ManualClock(TimePoint start = {}) : now_(start) {}
  TimePoint now() const override { return now_; }
  void advance(Duration by) { now_ += by; }

 private:
  TimePoint now_;
};

}  // namespace berth
