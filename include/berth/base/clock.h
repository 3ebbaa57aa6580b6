#pragma once

#include <chrono>
#include <cstdint>

namespace berth {

using Duration = std::chrono::nanoseconds;

// Nanoseconds since 1970-01-01T00:00:00Z. Always the wall clock of the cluster or of a simulation.
using TimePoint = std::chrono::time_point<std::chrono::system_clock, Duration>;

// Decisions get their time only from here. Implementations are safe to call from any thread.
class Clock {
 public:
  virtual ~Clock() = default;
  virtual TimePoint now() const = 0;
};

class SystemClock final : public Clock {
 public:
  TimePoint now() const override;
};

// Time since a fixed moment that no step of the wall clock moves: for deadlines.
class SteadyClock final : public Clock {
 public:
  TimePoint now() const override;
};

// A clock that a test or a simulation sets. Not thread-safe.
class ManualClock final : public Clock {
 public:
  explicit ManualClock(TimePoint start = {}) : now_(start) {}
  TimePoint now() const override { return now_; }
  void advance(Duration by) { now_ += by; }

 private:
  TimePoint now_;
};

}  // namespace berth
