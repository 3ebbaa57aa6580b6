#pragma once

#include <atomic>
#include <cstdint>

#include "berth/base/clock.h"

// Whether this berthd still leads (docs/design/lease.md).

namespace berth::ports {

// The present term: for how long this berthd may decide and write, under which epoch. One thread
// begins and ends terms; any thread asks, as late as it can before it acts. The clock decides, so a
// thread that stood still finds the term over whatever the other threads have done by then.
class Leadership {
 public:
  static constexpr TimePoint kForever = TimePoint::max();

  // `clock` must outlive this, and count while the process or the machine stands still.
  explicit Leadership(const Clock& clock) : clock_(clock) {}

  // LEASE-1. `epoch` is above that of every term before.
  void begin(std::uint64_t epoch, TimePoint until) {
    end();
    epoch_ = epoch;
    until_ = until.time_since_epoch().count();
  }
  // False: the term is over, and stays so.
  bool extend(TimePoint until) {
    if (epoch() == 0) return false;
    until_ = until.time_since_epoch().count();
    return true;
  }
  void end() { until_ = kOver; }

  // 0: no term holds now.
  std::uint64_t epoch() const {
    // A term that begins meanwhile sets its epoch first. So an end is never taken for that of an
    // earlier epoch.
    const std::int64_t until = until_;
    const std::uint64_t epoch = epoch_;
    return clock_.now().time_since_epoch().count() < until ? epoch : 0;
  }
  bool holds(std::uint64_t epoch) const { return epoch != 0 && this->epoch() == epoch; }

  const Clock& clock() const { return clock_; }

 private:
  static constexpr std::int64_t kOver = TimePoint::min().time_since_epoch().count();

  const Clock& clock_;
  std::atomic<std::uint64_t> epoch_ = 0;
  std::atomic<std::int64_t> until_ = kOver;
};

// The term that a decision belongs to. One of no leader holds for ever: of an embedded cluster, or
// of a test.
class Term {
 public:
  Term() = default;
  // `leadership` must outlive this; null: the term holds for ever.
  Term(const Leadership* leadership, std::uint64_t epoch)
      : leadership_(leadership), epoch_(epoch) {}

  bool holds() const { return leadership_ == nullptr || leadership_->holds(epoch_); }
  std::uint64_t epoch() const { return epoch_; }

 private:
  const Leadership* leadership_ = nullptr;
  std::uint64_t epoch_ = 0;
};

}  // namespace berth::ports
