#pragma once

#include <cstdint>
#include <string>

#include "berth/base/clock.h"
#include "berth/base/result.h"

// Values of flags and results.

namespace berth::tools {

Result<std::int64_t> number_of(const std::string& text, const char* flag);

// An empty text changes nothing.
Status read_duration(const std::string& text, const char* flag, Duration& time);

double in_seconds(Duration time);

}  // namespace berth::tools
