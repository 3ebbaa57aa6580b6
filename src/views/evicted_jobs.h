#pragma once

#include <chrono>
#include <cstddef>
#include <string>
#include <vector>

#include "berth/base/clock.h"

namespace berth::views {

// The jobs that were evicted lately more than once, for a metric and the page /evictions. A value.
struct EvictedJobs {
  // Evictions of a job within ten seconds count as one time: a gang leaves as a whole.
  static constexpr Duration kOneTime = std::chrono::seconds(10);
  static constexpr Duration kWithin = std::chrono::hours(1);
  static constexpr std::size_t kRepeatedlyFrom = 5;  // times
  static constexpr std::size_t kRowsMost = 100;

  struct Row {
    std::string job;   // namespace/name
    std::string kind;  // PodGroup, or of the controller of pods in no group, or Pod
    std::size_t times = 0;
    std::size_t pods = 0;
    TimePoint first;
    TimePoint last;
    std::string why;  // the last time: "by preempt for ml/urgent: ..."
    bool operator==(const Row&) const = default;
  };

  TimePoint at;
  std::size_t repeatedly = 0;  // jobs that were evicted so often, in `rows` or not
  std::vector<Row> rows;       // from twice on; the most often evicted ones, by times and name
  bool operator==(const EvictedJobs&) const = default;
};

// The page, as JSON.
std::string write_evicted_jobs(const EvictedJobs& jobs);

}  // namespace berth::views
