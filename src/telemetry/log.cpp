#include "telemetry/log.h"

#include <spdlog/async.h>
#include <spdlog/sinks/stdout_sinks.h>
#include <spdlog/spdlog.h>

#include <memory>
#include <nlohmann/json.hpp>
#include <string>

#include "berth/base/printable.h"

namespace berth::telemetry {

namespace {

bool json_lines = false;
LogOptions options_in_force;

spdlog::level::level_enum to_spdlog(Level level) {
  switch (level) {
    case Level::debug:
      return spdlog::level::debug;
    case Level::info:
      return spdlog::level::info;
    case Level::warning:
      return spdlog::level::warn;
    case Level::error:
      return spdlog::level::err;
  }
  return spdlog::level::info;
}

// A message may quote bytes from a file that are not UTF-8; they are replaced.
std::string to_json(std::string_view text) {
  using Json = nlohmann::json;
  return Json(text).dump(-1, ' ', false, Json::error_handler_t::replace);
}

}  // namespace

void set_up_log(const LogOptions& options) {
  constexpr std::size_t kLinesKept = 8192;
  json_lines = options.is_json;
  options_in_force = options;
  auto sink = std::make_shared<spdlog::sinks::stderr_sink_mt>();
  std::shared_ptr<spdlog::logger> logger;
  if (options.is_asynchronous) {
    spdlog::init_thread_pool(kLinesKept, 1);
    logger =
        std::make_shared<spdlog::async_logger>("berthd", std::move(sink), spdlog::thread_pool(),
                                               spdlog::async_overflow_policy::overrun_oldest);
  } else {
    logger = std::make_shared<spdlog::logger>("berthd", std::move(sink));
  }
  logger->set_level(to_spdlog(options.least));
  logger->set_pattern(options.is_json
                          ? R"({"time":"%Y-%m-%dT%H:%M:%S.%e%z","level":"%l","message":%v})"
                          : "%Y-%m-%dT%H:%M:%S.%e %-7l %v");
  logger->flush_on(spdlog::level::info);
  spdlog::set_default_logger(std::move(logger));
}

void finish_log() {
  if (!options_in_force.is_asynchronous) return;
  // Outlives the writing thread, which may use it until its end.
  static std::shared_ptr<spdlog::logger> last;
  last = spdlog::default_logger();
  spdlog::shutdown();
  LogOptions at_once = options_in_force;
  at_once.is_asynchronous = false;
  set_up_log(at_once);
}

void log(Level level, std::string_view message) {
  try {
    if (json_lines) {
      spdlog::log(to_spdlog(level), "{}", to_json(message));
    } else {
      spdlog::log(to_spdlog(level), "{}", printable(message));
    }
  } catch (...) {  // a full disk must not stop the scheduler
  }
}

}  // namespace berth::telemetry
