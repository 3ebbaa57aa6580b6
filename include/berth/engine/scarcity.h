#pragma once

#include <algorithm>
#include <compare>
#include <cstdint>

namespace berth::engine {

// Orders two short resources: less means scarcer, with a smaller part of the need available.
// Amounts below 0 count as 0; needs are above 0. Equal ones are ordered by name.
inline std::strong_ordering by_scarcity(std::int64_t left_have, std::int64_t left_need,
                                        std::int64_t right_have, std::int64_t right_need) {
  const auto part = [](std::int64_t have, std::int64_t need) {
    return static_cast<__int128>(std::max<std::int64_t>(0, have)) * need;
  };
  const __int128 left = part(left_have, right_need);
  const __int128 right = part(right_have, left_need);
  if (left == right) return std::strong_ordering::equal;
  return left < right ? std::strong_ordering::less : std::strong_ordering::greater;
}

}  // namespace berth::engine
