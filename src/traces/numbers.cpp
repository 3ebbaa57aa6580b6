#include "traces/numbers.h"

#include <algorithm>

#include "berth/base/printable.h"
#include "berth/base/text.h"
#include "traces/trace.h"

namespace berth::traces {

namespace {

constexpr std::int64_t kBillion = 1'000'000'000;
constexpr std::size_t kPlaces = 9;

bool are_digits(std::string_view text) { return std::all_of(text.begin(), text.end(), is_digit); }

// Digits behind the point, rounded half up; kBillion if they round up to one.
std::int64_t nanos_of(std::string_view digits) {
  if (digits.empty()) return 0;
  std::int64_t nanos = 0;
  for (std::size_t i = 0; i < kPlaces; ++i) {
    nanos = nanos * 10 + (i < digits.size() ? digits[i] - '0' : 0);
  }
  return nanos + (digits.size() > kPlaces && digits[kPlaces] >= '5' ? 1 : 0);
}

}  // namespace

std::optional<Decimal> decimal_of(std::string_view text) {
  Decimal result;
  result.is_negative = text.starts_with('-');
  if (result.is_negative) text.remove_prefix(1);
  const std::size_t point = std::min(text.find('.'), text.size());
  const std::string_view whole = text.substr(0, point);
  const std::string_view places = point < text.size() ? text.substr(point + 1) : std::string_view();
  if (whole.empty() || !are_digits(whole) || !are_digits(places)) return std::nullopt;
  for (const char digit : whole) {
    result.whole = std::min(kWholeMost, result.whole * 10 + (digit - '0'));
  }
  result.nanos = nanos_of(places);
  if (result.nanos == kBillion) {
    result.nanos = 0;
    result.whole = std::min(kWholeMost, result.whole + 1);
  }
  return result;
}

Error unexpected(const Field& field, const std::string& expected) {
  constexpr std::size_t kShown = 60;
  return Error{"field " + std::to_string(field.number) + " (" + std::string(field.name) + "): \"" +
                   printable(shortened(field.text, kShown)) + "\", expected " + expected,
               ""};
}

Result<Duration> seconds_of(const Field& field) {
  const auto number = decimal_of(field.text);
  const bool is_in_range =
      number && (!number->is_negative || number->is_zero()) &&
      (number->whole < kSecondsMost || (number->whole == kSecondsMost && number->nanos == 0));
  if (!is_in_range) return unexpected(field, "seconds from 0 to " + std::to_string(kSecondsMost));
  return Duration(number->whole * kBillion + number->nanos);
}

Result<std::int64_t> integer_of(const Field& field, std::int64_t least, std::int64_t most) {
  const auto number = decimal_of(field.text);
  const std::int64_t value =
      number ? (number->is_negative ? -number->whole : number->whole) : std::int64_t{0};
  if (!number || number->nanos != 0 || value < least || value > most) {
    return unexpected(
        field, "a whole number from " + std::to_string(least) + " to " + std::to_string(most));
  }
  return value;
}

}  // namespace berth::traces
