#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "results/run.h"

// Measures of a simulated trace, by their standard definitions (docs/design/results.md). All are
// finite; a run without jobs, nodes or time has zeros. The cost is that of sorting the jobs.

namespace berth::results {

// RESULT-4: percentiles are of the nearest rank: of n sorted values, p % is that of rank
// ceil(n * p / 100), from 1. So each is a value that occurs.
struct Distribution {
  std::size_t count = 0;
  double mean = 0;
  double median = 0;
  double p90 = 0;
  double p99 = 0;
  double max = 0;
};

Distribution distribution_of(std::vector<double> values);

// RESULT-10: started jobs with more than `above`, and at most `up_to`; empty: any.
struct ClassMeasures {
  double above = 0;
  std::optional<double> up_to;
  Distribution wait;
  Distribution bounded_slowdown;
};

// RESULT-9: the division of the machine among users, or among queues.
struct Shares {
  std::size_t owners = 0;
  double largest_deviation = 0;  // of a share of the use from the fair share
  std::string deviating;         // its owner
  double largest_shortfall = 0;  // below the fair share although jobs wait; of the machine
  std::string short_of;          // its owner
};

struct Measures {
  // RESULT-2: jobs = started + never_started + cancelled.
  std::size_t jobs = 0;
  std::size_t started = 0;
  std::size_t ended = 0;  // of these
  std::size_t never_started = 0;
  std::size_t cancelled = 0;

  // RESULT-3. The wait of a started job is start - submit. The turnaround (response time) of an
  // ended job is end - submit. The bounded slowdown of a started job is
  // max(1, (wait + run) / max(run, 10 s)): Feitelson and Rudolph, "Metrics and Benchmarking for
  // Parallel Job Scheduling", 1998.
  Distribution wait;
  Distribution turnaround;
  Distribution bounded_slowdown;

  // RESULT-5. The makespan is the time from the first submission to the last end. The utilisation
  // is the used node-seconds, divided by nodes * makespan; that of the middle is without the first
  // and the last 10 % of the time, in which the machine fills and drains.
  double makespan = 0;
  double utilisation = 0;
  double utilisation_of_middle = 0;
  double mean_waiting_jobs = 0;  // over the makespan
  std::int64_t most_waiting_jobs = 0;

  // RESULT-6. The sum over time of min(idle nodes, nodes that waiting jobs ask for), divided by
  // nodes * makespan: Zhang, Franke, Moreira and Sivasubramaniam, "Improving Parallel Job
  // Scheduling by Combining Gang Scheduling and Backfilling Techniques", 2000; Leung, Sabin and
  // Sadayappan, "Parallel Job Scheduling Policies to Improve Fairness", 2010.
  double loss_of_capacity = 0;
  double idle_reserved = 0;  // RunResult::idle_reserved, divided by the same

  // RESULT-7, in node-seconds: all work that jobs have done, and the part that was in vain.
  double work = 0;
  double lost_work = 0;
  double lost_share = 0;
  std::int64_t evictions = 0;
  std::size_t evicted_jobs = 0;

  // RESULT-8: jobs for which a job that was submitted later started earlier (the idea is that of
  // Sabin and Sadayappan, "Unfairness Metrics for Space-Sharing Parallel Job Schedulers", 2005).
  std::size_t passed = 0;
  double passed_share = 0;  // of all that were not cancelled

  Shares users;
  Shares queues;
  std::vector<ClassMeasures> by_size;      // in nodes, by powers of two
  std::vector<ClassMeasures> by_run_time;  // in seconds
};

Measures measure(const RunResult& run);

// A run with its measures: what all outputs show.
struct JudgedRun {
  RunResult result;
  Measures measures;
};

JudgedRun judged(RunResult run);

}  // namespace berth::results
