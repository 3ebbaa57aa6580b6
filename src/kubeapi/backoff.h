#pragma once

#include <cstdint>
#include <random>

#include "berth/base/clock.h"

namespace berth::kubeapi {

// Decorrelated jitter: each wait is drawn between `least` and three times the last one, and is at
// most `most`. So those who failed together do not come back together.
class Backoff {
 public:
  // Seed 0: any.
  Backoff(Duration least, Duration most, std::uint64_t seed);

  Duration next();
  void reset() { last_ = least_; }
  // Between `from` and twice that: for periods that must not coincide.
  Duration spread(Duration from);

 private:
  Duration least_;
  Duration most_;
  Duration last_;
  std::mt19937_64 random_;
};

}  // namespace berth::kubeapi
