#include "views/room_time.h"

#include <algorithm>

#include "berth/model/quantity.h"

namespace berth::views {

namespace {

constexpr RoomTime kMilli = 1'000;

RoomTime unit_of(std::string_view resource) {
  return scale_of(resource) == Scale::milli ? kNanoseconds * kMilli : kNanoseconds;
}

std::string digits_of(RoomTime number) {
  std::string digits;
  do {
    digits += static_cast<char>('0' + static_cast<int>(number % 10));
    number /= 10;
  } while (number != 0);
  std::reverse(digits.begin(), digits.end());
  return digits;
}

}  // namespace

void add(RoomTimes& sums, const NamedAmounts& amounts, Duration time) {
  if (time <= Duration(0)) return;
  for (const auto& [resource, amount] : amounts) {
    sums[resource] += static_cast<RoomTime>(amount) * time.count();
  }
}

std::string format_room_time(std::string_view resource, RoomTime time) {
  if (time < 0) return "-" + format_room_time(resource, -time);
  const RoomTime unit = unit_of(resource);
  std::string text = digits_of(time / unit);
  if (time % unit == 0) return text;
  // The leading 1 keeps zeros after the decimal point.
  std::string fraction = digits_of(unit + time % unit).substr(1);
  fraction.erase(fraction.find_last_not_of('0') + 1);
  return text + "." + fraction;
}

std::optional<RoomTime> parse_room_time(std::string_view resource, std::string_view text) {
  // No sum of products of 63-bit rooms and 63-bit times has more digits.
  constexpr std::size_t kDigitsMax = 37;
  RoomTime time = 0;
  RoomTime unit = unit_of(resource);
  const std::size_t point = std::min(text.find('.'), text.size());
  const std::string_view whole = text.substr(0, point);
  const std::string_view fraction = text.substr(std::min(point + 1, text.size()));
  if (whole.empty() || (point < text.size() && fraction.empty())) return std::nullopt;
  if (whole.size() + digits_of(unit).size() - 1 > kDigitsMax) return std::nullopt;
  for (const char digit : whole) {
    if (digit < '0' || digit > '9') return std::nullopt;
    time = time * 10 + (digit - '0');
  }
  time *= unit;
  for (const char digit : fraction) {
    if (digit < '0' || digit > '9' || unit == 1) return std::nullopt;
    unit /= 10;
    time += unit * (digit - '0');
  }
  return time;
}

double room_seconds(std::string_view resource, RoomTime time) {
  return static_cast<double>(time) / static_cast<double>(unit_of(resource));
}

}  // namespace berth::views
