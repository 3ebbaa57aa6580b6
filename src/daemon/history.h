#pragma once

#include <memory>

#include "berth/base/clock.h"
#include "conf/config.h"
#include "history/files.h"
#include "history/recorder.h"
#include "history/sink.h"
#include "telemetry/metrics.h"

namespace berth::daemon {

// Records the cluster into files.
struct History {
  History(const conf::HistorySettings& settings, const Clock& clock, telemetry::Metrics& metrics);

  history::Files files;
  history::Sink sink;
  history::Recorder recorder;
};

// Null: nothing is recorded.
std::unique_ptr<History> make_history(const conf::HistorySettings& settings, const Clock& clock,
                                      telemetry::Metrics& metrics);

}  // namespace berth::daemon
