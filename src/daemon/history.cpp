#include "daemon/history.h"

#include <utility>

#include "telemetry/log.h"

namespace berth::daemon {

History::History(const conf::HistorySettings& settings, const Clock& clock,
                 telemetry::Metrics& metrics)
    : files(settings.directory, settings.bytes, clock.now()),
      sink(files,
           {.log = [](const std::string& line) { telemetry::log(telemetry::Level::warning, line); },
            .written = [&metrics](std::uint64_t entries) { metrics.history_written(entries); },
            .dropped = [&metrics](std::uint64_t entries) { metrics.history_dropped(entries); }}),
      recorder([this](history::Entry entry) { sink.put(std::move(entry)); }) {}

std::unique_ptr<History> make_history(const conf::HistorySettings& settings, const Clock& clock,
                                      telemetry::Metrics& metrics) {
  if (settings.directory.empty()) return nullptr;
  metrics.history_dropped(0);  // the series begin
  metrics.history_written(0);
  return std::make_unique<History>(settings, clock, metrics);
}

}  // namespace berth::daemon
