#include "views/lost_work.h"

#include <algorithm>

namespace berth::views {

Duration age_of(TimePoint scheduled_at, TimePoint now) {
  if (scheduled_at == TimePoint::min()) return Duration(0);
  return std::max(Duration(0), now - scheduled_at);
}

void count(EvictedByAge& counts, Duration age) {
  const auto* const bound = std::upper_bound(kEvictedAges.begin(), kEvictedAges.end(), age);
  ++counts[static_cast<std::size_t>(bound - kEvictedAges.begin())];
}

}  // namespace berth::views
