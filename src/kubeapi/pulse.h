#pragma once

#include <atomic>
#include <cstdint>
#include <string>

#include "berth/base/clock.h"

namespace berth::kubeapi {

// When the API server last showed that it works. Any thread.
class Pulse {
 public:
  // Counts from now until the first answer. `clock` must outlive this.
  explicit Pulse(const Clock& clock) : clock_(clock), last_(ticks()) {}

  // An answer with this status; 0: none.
  void note(int status);
  Duration silence() const { return Duration(ticks() - last_); }
  // API-34. Empty, if it is not silent for longer than that.
  std::string fault(Duration longest) const;

 private:
  std::int64_t ticks() const { return clock_.now().time_since_epoch().count(); }

  const Clock& clock_;
  std::atomic<std::int64_t> last_;
};

}  // namespace berth::kubeapi
