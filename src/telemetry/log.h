#pragma once

#include <cstdint>
#include <string_view>

namespace berth::telemetry {

enum class Level : std::uint8_t { debug, info, warning, error };

struct LogOptions {
  bool is_json = false;  // a JSON object a line, for collectors
  Level least = Level::info;
  // Lines are written by a thread of their own, so that nobody waits for a slow reader; when it is
  // 8,192 lines behind, the oldest are dropped.
  bool is_asynchronous = false;
};

// To standard error, a line an entry. Call set_up_log once, before any thread logs; log() is safe
// from any thread and never throws.
void set_up_log(const LogOptions& options);
// Writes what is still to be written; later lines are written at once. When other threads have
// ended.
void finish_log();
void log(Level level, std::string_view message);

}  // namespace berth::telemetry
