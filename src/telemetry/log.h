#pragma once

#include <cstdint>
#include <string_view>

namespace berth::telemetry {

enum class Level : std::uint8_t { debug, info, warning, error };

struct LogOptions {
  bool is_json = false;  // a JSON object on each line, for collectors
  Level least = Level::info;
  // A thread of its own writes the lines, so that no caller waits for a slow reader. If it is 8,192
  // lines behind, the oldest are dropped.
  bool is_asynchronous = false;
};

// Logs to standard error, a line for each entry, whatever text of others it has. Call set_up_log
// once, before any thread logs. log() is safe from any thread and never throws.
void set_up_log(const LogOptions& options);
// Writes pending lines; later lines are written at once. Call it after other threads have ended.
void finish_log();
void log(Level level, std::string_view message);

}  // namespace berth::telemetry
