#include <array>
#include <charconv>
#include <chrono>
#include <cstdint>
#include <limits>
#include <string>

#include "berth/base/text.h"

// Durations in Go's syntax and times of RFC 3339, exact and without the C locale.

namespace berth {

namespace {

struct Unit {
  std::string_view name;
  std::int64_t ns;
};

// Longer names come before their own prefixes.
constexpr std::array<Unit, 8> kUnits{{{"ns", 1},
                                      {"us", 1'000},
                                      {"\xC2\xB5s", 1'000},  // micro sign
                                      {"\xCE\xBCs", 1'000},  // Greek mu
                                      {"ms", 1'000'000},
                                      {"s", 1'000'000'000},
                                      {"m", 60'000'000'000},
                                      {"h", 3'600'000'000'000}}};

constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max();
constexpr std::int64_t kSecond = 1'000'000'000;

const Unit* unit_at(std::string_view text) {
  for (const Unit& unit : kUnits) {
    if (text.substr(0, unit.name.size()) == unit.name) return &unit;
  }
  return nullptr;
}

Error not_a_duration(std::string_view text, const char* why) {
  return Error{"\"" + std::string(text) + "\" " + why +
                   ", expected a duration such as \"90s\", \"1m30s\" or \"250ms\"",
               ""};
}

// Digits of a fraction, times a unit, rounded down to whole nanoseconds.
std::int64_t fraction_of(std::string_view digits, std::int64_t unit_ns) {
  std::int64_t value = 0;
  for (const char digit : digits) {
    unit_ns /= 10;
    value += (digit - '0') * unit_ns;
  }
  return value;
}

std::string without_trailing_zeros(std::int64_t fraction, int width) {
  std::string digits = std::to_string(fraction);
  digits.insert(0, static_cast<std::size_t>(width) - digits.size(), '0');
  digits.erase(digits.find_last_not_of('0') + 1);
  return digits;
}

// "1.5ms": whole and thousandth parts of a unit.
std::string with_fraction(std::int64_t ns, std::int64_t unit_ns, int width, const char* unit) {
  std::string text = std::to_string(ns / unit_ns);
  if (ns % unit_ns != 0) text += "." + without_trailing_zeros(ns % unit_ns, width);
  return text + unit;
}

// Reads a number of exactly `width` digits at the start of `text` and removes it.
bool take_number(std::string_view& text, std::size_t width, int& value) {
  if (text.size() < width) return false;
  value = 0;
  for (std::size_t i = 0; i < width; ++i) {
    if (!is_digit(text[i])) return false;
    value = value * 10 + (text[i] - '0');
  }
  text.remove_prefix(width);
  return true;
}

bool take(std::string_view& text, char wanted) {
  if (text.empty() || text.front() != wanted) return false;
  text.remove_prefix(1);
  return true;
}

std::string_view take_digits(std::string_view& text) {
  std::size_t length = 0;
  while (length < text.size() && is_digit(text[length])) ++length;
  const std::string_view digits = text.substr(0, length);
  text.remove_prefix(length);
  return digits;
}

struct Civil {
  int year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0;
  std::int64_t fraction_ns = 0;
  int offset_minutes = 0;
};

bool take_offset(std::string_view& text, Civil& civil) {
  if (take(text, 'Z')) return true;
  const bool east = take(text, '+');
  if (!east && !take(text, '-')) return false;
  int hours = 0;
  int minutes = 0;
  if (!take_number(text, 2, hours) || !take(text, ':') || !take_number(text, 2, minutes)) {
    return false;
  }
  civil.offset_minutes = (east ? 1 : -1) * (hours * 60 + minutes);
  return hours < 24 && minutes < 60;
}

bool read_civil(std::string_view text, Civil& civil) {
  if (!take_number(text, 4, civil.year) || !take(text, '-') || !take_number(text, 2, civil.month) ||
      !take(text, '-') || !take_number(text, 2, civil.day) || !take(text, 'T') ||
      !take_number(text, 2, civil.hour) || !take(text, ':') ||
      !take_number(text, 2, civil.minute) || !take(text, ':') ||
      !take_number(text, 2, civil.second)) {
    return false;
  }
  if (take(text, '.')) {
    const std::string_view digits = take_digits(text);
    if (digits.empty()) return false;
    civil.fraction_ns = fraction_of(digits.substr(0, 9), kSecond);
  }
  return take_offset(text, civil) && text.empty() && civil.hour < 24 && civil.minute < 60 &&
         civil.second < 60;
}

}  // namespace

Result<Duration> parse_duration(std::string_view text) {
  std::string_view rest = text;
  if (take(rest, '-')) return not_a_duration(text, "is negative");
  take(rest, '+');
  if (rest == "0") return Duration{0};
  if (rest.empty()) return not_a_duration(text, "is empty");
  std::int64_t total = 0;
  while (!rest.empty()) {
    const std::string_view whole = take_digits(rest);
    std::string_view fraction;
    if (take(rest, '.')) fraction = take_digits(rest);
    if (whole.empty() && fraction.empty()) return not_a_duration(text, "is not a duration");
    const Unit* unit = unit_at(rest);
    if (unit == nullptr) return not_a_duration(text, "lacks a unit");
    rest.remove_prefix(unit->name.size());
    std::int64_t amount = 0;
    if (!whole.empty() &&
        std::from_chars(whole.data(), whole.data() + whole.size(), amount).ec != std::errc{}) {
      return not_a_duration(text, "is too long");
    }
    const std::int64_t part = fraction_of(fraction, unit->ns);
    if (amount > (kMost - part) / unit->ns) return not_a_duration(text, "is too long");
    const std::int64_t value = amount * unit->ns + part;
    if (value > kMost - total) return not_a_duration(text, "is too long");
    total += value;
  }
  return Duration{total};
}

std::string format_duration(Duration duration) {
  std::int64_t ns = duration.count();
  if (ns == 0) return "0s";
  if (ns == std::numeric_limits<std::int64_t>::min()) ++ns;
  std::string text = ns < 0 ? "-" : "";
  if (ns < 0) ns = -ns;
  if (ns < 1'000) return text + std::to_string(ns) + "ns";
  if (ns < 1'000'000) return text + with_fraction(ns, 1'000, 3, "us");
  if (ns < kSecond) return text + with_fraction(ns, 1'000'000, 6, "ms");
  const std::int64_t minute = 60 * kSecond;
  const std::int64_t hour = 60 * minute;
  if (ns >= hour) text += std::to_string(ns / hour) + "h";
  if (ns % hour >= minute) text += std::to_string(ns % hour / minute) + "m";
  if (ns % minute != 0) text += with_fraction(ns % minute, kSecond, 9, "s");
  return text;
}

Result<TimePoint> parse_time(std::string_view text) {
  const auto refuse = [&](const char* why) {
    return Error{"\"" + std::string(text) + "\" " + why +
                     ", expected an RFC 3339 time such as \"2026-11-21T09:00:00Z\"",
                 ""};
  };
  Civil civil;
  if (!read_civil(text, civil)) return refuse("is not a time");
  const std::chrono::year_month_day date{std::chrono::year{civil.year},
                                         std::chrono::month{static_cast<unsigned>(civil.month)},
                                         std::chrono::day{static_cast<unsigned>(civil.day)}};
  if (!date.ok()) return refuse("names a day that does not exist");
  const std::int64_t days = std::chrono::sys_days{date}.time_since_epoch().count();
  const std::int64_t seconds = days * 86'400 + civil.hour * 3'600 +
                               (civil.minute - civil.offset_minutes) * 60 + civil.second;
  if (seconds >= kMost / kSecond || seconds <= -kMost / kSecond) {
    return refuse("is too far from now");
  }
  return TimePoint{Duration{seconds * kSecond + civil.fraction_ns}};
}

std::string format_time(TimePoint time) {
  const std::chrono::year_month_day date{std::chrono::floor<std::chrono::days>(time)};
  Duration of_day = time.time_since_epoch() % std::chrono::days{1};
  if (of_day < Duration{}) of_day += std::chrono::days{1};  // the first day begins before any time
  const std::chrono::hh_mm_ss clock{of_day};
  std::string text = std::to_string(static_cast<int>(date.year()));
  const auto add = [&text](char before, auto value) {
    const char digits[] = {before, static_cast<char>('0' + value / 10),
                           static_cast<char>('0' + value % 10)};
    text.append(digits, sizeof digits);
  };
  add('-', static_cast<unsigned>(date.month()));
  add('-', static_cast<unsigned>(date.day()));
  add('T', clock.hours().count());
  add(':', clock.minutes().count());
  add(':', clock.seconds().count());
  const std::int64_t fraction = clock.subseconds().count();
  if (fraction != 0) text += "." + without_trailing_zeros(fraction, 9);
  return text + "Z";
}

}  // namespace berth
