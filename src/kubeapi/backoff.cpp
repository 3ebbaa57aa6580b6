#include "kubeapi/backoff.h"

#include <algorithm>

namespace berth::kubeapi {

Backoff::Backoff(Duration least, Duration most, std::uint64_t seed)
    : least_(least),
      most_(std::max(least, most)),
      last_(least),
      random_(seed != 0 ? seed : std::random_device{}()) {}

Duration Backoff::next() {
  std::uniform_int_distribution<std::int64_t> draw(least_.count(), last_.count() * 3);
  last_ = std::min(most_, Duration(draw(random_)));
  return last_;
}

Duration Backoff::spread(Duration from) {
  std::uniform_int_distribution<std::int64_t> draw(from.count(), from.count() * 2);
  return Duration(draw(random_));
}

}  // namespace berth::kubeapi
