#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "results/job_times.h"

namespace berth::results {

// The state of the machine from `time` to the next step.
struct Step {
  double time = 0;
  double used = 0;     // nodes
  double waiting = 0;  // nodes that waiting jobs ask for
  std::int64_t waiting_jobs = 0;
};

// Used room and waiting jobs over time, as step functions.
class Timeline {
 public:
  Timeline(const std::vector<JobTimes>& jobs, double nodes);

  // Node-seconds in use; above the machine's size counts as its size.
  double used(const Interval& time) const;
  // RESULT-6: node-seconds that are idle while waiting jobs ask for them.
  double idle_while_needed(const Interval& time) const;
  // Of the number of waiting jobs, over time.
  double waiting_job_seconds(const Interval& time) const;
  std::int64_t most_waiting_jobs() const;

  // Means of equal parts of a time: used nodes, and waiting jobs.
  struct Bucket {
    double used = 0;
    double waiting_jobs = 0;
  };
  std::vector<Bucket> buckets(const Interval& time, std::size_t count) const;

 private:
  template <class Value>
  double integral(const Interval& time, Value value) const;
  double used_of(const Step& step) const;

  double nodes_ = 0;
  std::vector<Step> steps_;  // by time; the last has nothing
};

}  // namespace berth::results
