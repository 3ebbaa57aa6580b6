#pragma once

#include <optional>
#include <vector>

#include "results/run.h"

namespace berth::results {

// RESULT-1: not finite is 0, and no number is so large that a sum of products overflows.
double bounded(double number);
// The same, and not negative.
double bounded_amount(double number);

struct Interval {
  double from = 0;
  double to = 0;
  double length() const { return to - from; }
};

// A job's times, put in order: submit <= start <= end.
struct JobTimes {
  const JobResult* job = nullptr;
  double submit = 0;
  double size = 0;
  double run = 0;
  std::optional<Interval> last_run;  // to the end of the simulation if the job still runs
  bool has_ended = false;
  double waits_until = 0;  // its start, its cancellation, or the end of the simulation
  std::vector<Interval> earlier_runs;

  double wait() const { return waits_until - submit; }
  bool is_cancelled() const { return !last_run && job->was_cancelled; }

  // Calls `each` with each interval in which the job waits.
  template <class Each>
  void for_each_wait(Each each) const {
    double from = submit;
    for (const Interval& earlier : earlier_runs) {
      if (earlier.from > from) each(Interval{from, earlier.from});
      from = earlier.to;
    }
    if (waits_until > from) each(Interval{from, waits_until});
  }
  // Calls `each` with each interval in which the job has its room.
  template <class Each>
  void for_each_run(Each each) const {
    for (const Interval& earlier : earlier_runs) each(earlier);
    if (last_run) each(*last_run);
  }
};

// In an order that does not depend on the order in `run`. They refer to its jobs.
std::vector<JobTimes> times_of(const RunResult& run);

// RESULT-3: of a job that started.
double bounded_slowdown_of(const JobTimes& job);

// From the first submission to the last end; empty if no job started.
Interval whole_time(const std::vector<JobTimes>& jobs);

}  // namespace berth::results
