#pragma once

#include <cstdint>

namespace berth::results {

inline constexpr std::int64_t kMinute = 60;  // seconds
inline constexpr std::int64_t kHour = 60 * kMinute;
inline constexpr std::int64_t kDay = 24 * kHour;

}  // namespace berth::results
