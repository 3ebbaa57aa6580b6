#pragma once

#include <cstdint>
#include <random>

#include "berth/base/clock.h"

namespace berth::kubeapi {

// Decorrelated jitter: each wait is drawn between `least` and three times the last one, up to
// `most`. Clients that failed together therefore retry at different times.
class Backoff {
 public:
  // With seed 0, the seed is random.
  Backoff(Duration least, Duration most, std::uint64_t seed);

  Duration next();
  void reset() { last_ = least_; }
  // A random time between `from` and twice that, for periods that must not coincide.
  Duration spread(Duration from);

 private:
  Duration least_;
  Duration most_;
  Duration last_;
  std::mt19937_64 random_;
};

}  // namespace berth::kubeapi
