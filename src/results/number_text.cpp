#include "results/number_text.h"

#include <fmt/format.h>

#include <cmath>

#include "results/job_times.h"
#include "results/units.h"

namespace berth::results {

namespace {

std::int64_t rounded(double number) { return static_cast<std::int64_t>(std::llround(number)); }

// "1h23m", or "1h".
std::string in_two_units(std::int64_t number, std::int64_t per_large, char large, char small) {
  const std::int64_t rest = number % per_large;
  std::string text = fmt::format("{}{}", number / per_large, large);
  if (rest != 0) text += fmt::format("{}{}", rest, small);
  return text;
}

// Without zeros at the end: "4.20" is "4.2".
std::string with_digits(double number, int digits) {
  std::string text = fmt::format("{:.{}f}", number, digits);
  while (text.find('.') != std::string::npos && (text.back() == '0' || text.back() == '.')) {
    const bool was_point = text.back() == '.';
    text.pop_back();
    if (was_point) break;
  }
  return text == "-0" ? "0" : text;
}

}  // namespace

std::string duration_text(double seconds) {
  const double given = bounded(seconds);
  if (given < 0) return "-" + duration_text(-given);
  if (given < 0.995) return with_digits(given, 2) + " s";
  if (given < 9.95) return with_digits(given, 1) + " s";
  const std::int64_t whole = rounded(given);
  if (whole < kMinute) return fmt::format("{} s", whole);
  if (whole < kHour) return in_two_units(whole, kMinute, 'm', 's');
  const std::int64_t minutes = rounded(given / kMinute);
  if (minutes < kDay / kMinute) return in_two_units(minutes, kHour / kMinute, 'h', 'm');
  return in_two_units(rounded(given / kHour), kDay / kHour, 'd', 'h');
}

std::string count_text(std::int64_t count) {
  std::string digits = fmt::format("{}", count);
  const std::size_t first = count < 0 ? 1 : 0;
  for (std::size_t at = digits.size(); at > first + 3;) digits.insert(at -= 3, ",");
  return digits;
}

std::string number_text(double number) {
  const double given = bounded(number);
  const double size = std::abs(given);
  if (size < 9.995) return with_digits(given, 2);
  if (size < 99.95) return with_digits(given, 1);
  return count_text(rounded(given));
}

std::string percent_text(double share) { return fmt::format("{:.1f} %", 100 * bounded(share)); }

}  // namespace berth::results
