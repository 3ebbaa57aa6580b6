#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "berth/base/clock.h"
#include "berth/model/written_status.h"

namespace berth::views {

// Room times its duration, in units of D4 times nanoseconds: core-seconds, byte-seconds,
// gpu-seconds. Exact: 64 bits of room last for centuries.
using RoomTime = __int128;
using RoomTimes = std::map<std::string, RoomTime>;  // by resource

inline constexpr RoomTime kNanoseconds = 1'000'000'000;  // of a second

// Adds `amounts` for this duration. A negative duration counts as 0.
void add(RoomTimes& sums, const NamedAmounts& amounts, Duration time);

// In cores, bytes or pieces times seconds, as an exact decimal: "12.5".
std::string format_room_time(std::string_view resource, RoomTime time);
// Parses such a text; none if it has another form.
std::optional<RoomTime> parse_room_time(std::string_view resource, std::string_view text);
// The same as a number, possibly rounded.
double room_seconds(std::string_view resource, RoomTime time);

}  // namespace berth::views
