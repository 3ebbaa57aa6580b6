#pragma once

#include <algorithm>
#include <compare>
#include <cstdint>

namespace berth::engine {

// Of two resources that are short, less: the first is scarcer, a smaller part of its need is there.
// What is below 0 counts as 0; needs are above 0. Where they are equal, names decide.
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
