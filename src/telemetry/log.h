#pragma once

#include <cstdint>
#include <string_view>

namespace berth::telemetry {

enum class Level : std::uint8_t { debug, info, warning, error };

struct LogOptions {
  bool is_json = false;  // a JSON object a line, for collectors
  Level least = Level::info;
};

// To standard error, a line an entry. Call set_up_log once, before any thread logs; log() is safe
// from any thread and never throws.
void set_up_log(const LogOptions& options);
void log(Level level, std::string_view message);

}  // namespace berth::telemetry
