#pragma once

#include <array>
#include <chrono>
#include <cstddef>

#include "berth/base/clock.h"

namespace berth::views {

// The upper bounds of the ages by which evicted pods are counted. Older pods are counted together.
inline constexpr std::array<std::chrono::seconds, 7> kEvictedAges{
    std::chrono::seconds(10), std::chrono::minutes(1), std::chrono::minutes(5),
    std::chrono::minutes(15), std::chrono::hours(1),   std::chrono::hours(4),
    std::chrono::hours(24)};
// Entry i counts pods younger than kEvictedAges[i] and no younger than the one before.
using EvictedByAge = std::array<std::size_t, kEvictedAges.size() + 1>;

// How long a pod has had its node (TERM-3, Task::scheduled_at). 0 if that is not known. Its
// eviction loses the work of this time.
Duration age_of(TimePoint scheduled_at, TimePoint now);

void count(EvictedByAge& counts, Duration age);

}  // namespace berth::views
