#pragma once

#include <cstdint>
#include <string>

#include "berth/base/clock.h"
#include "berth/base/result.h"

// Values of flags and results.

namespace berth::tools {

// Above 0. An Error names the flag.
Result<std::int64_t> number_of(const std::string& text, const char* flag);
Result<Duration> time_of(const std::string& text, const char* flag);

// Of a flag that may be absent: an empty text changes nothing.
template <class Value>
Status read_number(const std::string& text, const char* flag, Value& value) {
  if (text.empty()) return Done{};
  const Result<std::int64_t> number = number_of(text, flag);
  if (!number) return number.error();
  value = static_cast<Value>(*number);
  return Done{};
}

template <class Time>
Status read_duration(const std::string& text, const char* flag, Time& time) {
  if (text.empty()) return Done{};
  const Result<Duration> read = time_of(text, flag);
  if (!read) return read.error();
  time = *read;
  return Done{};
}

double in_seconds(Duration time);

}  // namespace berth::tools
