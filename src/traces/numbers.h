#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>

#include "berth/base/clock.h"
#include "berth/base/result.h"

namespace berth::traces {

// A number such as "12", "-1" or "12.5", rounded to nine places. `whole` stops at kWholeMost.
struct Decimal {
  bool is_negative = false;
  std::int64_t whole = 0;
  std::int64_t nanos = 0;

  bool is_zero() const { return whole == 0 && nanos == 0; }
  bool is_unknown() const { return is_negative && whole == 1 && nanos == 0; }  // -1
};
inline constexpr std::int64_t kWholeMost = std::numeric_limits<std::int64_t>::max() / 100;

// Nothing for any other text, such as an exponent, "inf" or "nan".
std::optional<Decimal> decimal_of(std::string_view text);

// One field of a line, for values and complaints about it.
struct Field {
  std::size_t number = 0;  // from 1
  std::string_view name;
  std::string_view text;
};

// `field 4 (run time): "x", expected ...`
Error unexpected(const Field& field, const std::string& expected);

// TRACE-2: seconds from 0 to kSecondsMost.
Result<Duration> seconds_of(const Field& field);
// A whole number of that range.
Result<std::int64_t> integer_of(const Field& field, std::int64_t least, std::int64_t most);

}  // namespace berth::traces
