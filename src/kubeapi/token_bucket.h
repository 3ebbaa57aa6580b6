#pragma once

#include "berth/base/clock.h"

namespace berth::kubeapi {

// client-go's rate limit: `burst` at once, refilled at `qps`. Not thread-safe; the caller gives the
// time.
class TokenBucket {
 public:
  // A rate of 0 or less means no limit. A burst below 1 counts as 1.
  TokenBucket(double qps, int burst) : qps_(qps), burst_(burst < 1 ? 1 : burst), tokens_(burst_) {}

  // Takes a token if one is available at that time.
  bool take(TimePoint now);
  // The wait until a token is available; 0: now.
  Duration wait(TimePoint now) const;

 private:
  double at(TimePoint now) const;

  double qps_;
  double burst_;
  double tokens_;
  TimePoint refilled_{};
};

}  // namespace berth::kubeapi
