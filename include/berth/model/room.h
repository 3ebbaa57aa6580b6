#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>

// The one comparison of what is asked for with the room that there is (FIT-1 of
// docs/design/fit.md). `asked` lists pairs of a resource and an amount above 0;
// `room_of(resource)` is what there is of it, which may be negative.

namespace berth {

template <class Asked, class RoomOf>
bool is_covered(const Asked& asked, const RoomOf& room_of) {
  return std::all_of(asked.begin(), asked.end(),
                     [&](const auto& each) { return room_of(each.first) >= each.second; });
}

// How often the room covers it; at most what a 32-bit count holds.
template <class Asked, class RoomOf>
std::int32_t times_covered(const Asked& asked, const RoomOf& room_of) {
  std::int64_t times = std::numeric_limits<std::int32_t>::max();
  for (const auto& [resource, amount] : asked) {
    times = std::min(times, std::max<std::int64_t>(0, room_of(resource)) / amount);
  }
  return static_cast<std::int32_t>(times);
}

}  // namespace berth
