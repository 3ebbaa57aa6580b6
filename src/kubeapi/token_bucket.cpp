#include "kubeapi/token_bucket.h"

#include <algorithm>
#include <cmath>

namespace berth::kubeapi {

double TokenBucket::at(TimePoint now) const {
  const std::chrono::duration<double> passed = now - refilled_;
  return std::min(burst_, tokens_ + std::max(0.0, passed.count()) * qps_);
}

bool TokenBucket::take(TimePoint now) {
  if (qps_ <= 0) return true;
  const double tokens = at(now);
  if (tokens < 1) return false;
  tokens_ = tokens - 1;
  refilled_ = std::max(refilled_, now);
  return true;
}

Duration TokenBucket::wait(TimePoint now) const {
  if (qps_ <= 0) return {};
  const double missing = 1 - at(now);
  if (missing <= 0) return {};
  return Duration(static_cast<std::int64_t>(std::ceil(missing / qps_ * 1e9)) + 1);
}

}  // namespace berth::kubeapi
