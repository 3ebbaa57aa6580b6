#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

// The outcome of simulating a trace, as the simulation hands it in. Times are in seconds from the
// start of the trace. Numbers that are not finite count as 0.

namespace berth::results {

struct JobResult {
  std::string id = {};
  std::string user = {};
  std::string queue = {};
  double submit = 0;
  std::optional<double> start = {};  // of its last run; empty: it never started
  // Of its last run; empty: it had not ended when the simulation did. Of a cancelled job, when it
  // was cancelled; empty: unknown, and the job counts nowhere as waiting.
  std::optional<double> end = {};
  double run = 0;                    // the length of its run, once it starts
  std::optional<double> limit = {};  // on that length
  std::int64_t pods = 1;
  double size = 1;             // of the machine's scarcest resource, in nodes
  std::int64_t evictions = 0;  // starts that were in vain
  double lost = 0;             // node-seconds of work that evictions or failures lost
  bool was_cancelled = false;  // by its user, before it started
  // The places of its last run: a node's index, and the share of the node. May be empty.
  std::vector<std::pair<std::int32_t, double>> nodes = {};
  // Start and end of the runs that were in vain. May be empty: then their room counts as idle.
  std::vector<std::pair<double, double>> earlier_runs = {};
};

// How far forecast starts were off, in seconds.
struct ForecastErrors {
  std::int64_t known = 0;  // of so many jobs
  double median = 0;
  double largest_of_nine = 0;  // of ten
  std::int64_t later = 0;      // started by more than a minute later than forecast
};

// RESULT-16. Starts that were forecast when jobs came that had to wait, beside the real ones.
struct Forecasts {
  std::int64_t waited = 0;  // jobs
  ForecastErrors by_limits, by_learned;
  std::int64_t inside = 0;    // of those with a learned forecast: started when it was likely
  double width_median = 0;    // of the likely time, in seconds
  std::int64_t promises = 0;  // targets with a promised start
  std::int64_t broken = 0;    // of these: started later
};

struct RunResult {
  std::string name = {};  // "config/easy.yaml, lock=cluster"
  double nodes = 0;
  std::vector<std::string> node_names = {};  // by index; may be empty
  std::vector<JobResult> jobs = {};
  double simulated_until = 0;
  double seconds_of_computing = 0;
  std::int64_t sessions = 0;
  double idle_reserved = 0;  // node-seconds idle on nodes that were kept for a job or a queue
  std::optional<Forecasts> forecasts = {};  // empty: nobody forecast
};

}  // namespace berth::results
