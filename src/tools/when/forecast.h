#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "berth/base/result.h"
#include "history/recording.h"
#include "simulation/node_time.h"
#include "tools/simulate/recorded.h"

// When jobs of a dump would start, if none came after them.

namespace berth::tools {

struct ForecastRow {
  std::string job;
  std::string queue;
  std::int32_t pods = 0;
  Duration waited{};              // at the time of the dump
  std::optional<Duration> start;  // from that time on; none: not within what is simulated
  std::optional<Duration> stop;   // its first run ends then, before it is done
  std::optional<Duration> run;    // it is expected to run so long; none: nobody knows
  std::string reason;             // a code: why it waits now; empty: it starts now
  std::string message;            // the sentence
};

struct Forecast {
  TimePoint now;
  Duration until{};               // so much was simulated
  std::size_t unending = 0;       // jobs that run and have no end that is known
  std::size_t nodes = 0;          // once all have come and gone
  std::size_t stops = 0;          // runs that were stopped before they were done
  double lost = 0;                // work of these, in nodes times seconds
  std::vector<ForecastRow> jobs;  // that wait, by start, then name
  // That run, and are stopped: their node goes, or another job needs the room. `start`: anew.
  std::vector<ForecastRow> stopped;
};

using OnForecast = std::function<void(std::size_t done, std::size_t all)>;

struct ForecastRequest {
  const history::Recording& dump;
  const conf::Config& config;
  std::optional<Duration> unknown;            // run time of jobs that wait and say none
  std::vector<simulation::NodeTime> later{};  // nodes of the dump that come or go after it
  std::optional<Duration> until{};            // it goes on for so long at most
};

// Runs the sessions of `config` from the state of the dump, jumping from end to end. Jobs end when
// their pods say so: by the annotation berth.dev/run-time, else by their limit, else after
// `unknown` if they wait, else never. An Error if the engine refuses the configuration.
Result<Forecast> forecast_of(const ForecastRequest& asked, const OnForecast& on_progress);

}  // namespace berth::tools
