#include "results/timeline.h"

#include <algorithm>
#include <tuple>

namespace berth::results {

namespace {

struct Change {
  double time = 0;
  double used = 0;
  double waiting = 0;
  int running_jobs = 0;
  int waiting_jobs = 0;
  auto key() const { return std::tie(time, used, waiting, running_jobs, waiting_jobs); }
};

std::vector<Change> changes_of(const std::vector<JobTimes>& jobs) {
  std::vector<Change> changes;
  for (const JobTimes& job : jobs) {
    job.for_each_run([&](const Interval& run) {
      changes.push_back({.time = run.from, .used = job.size, .running_jobs = 1});
      changes.push_back({.time = run.to, .used = -job.size, .running_jobs = -1});
    });
    job.for_each_wait([&](const Interval& wait) {
      changes.push_back({.time = wait.from, .waiting = job.size, .waiting_jobs = 1});
      changes.push_back({.time = wait.to, .waiting = -job.size, .waiting_jobs = -1});
    });
  }
  std::sort(changes.begin(), changes.end(),
            [](const Change& left, const Change& right) { return left.key() < right.key(); });
  return changes;
}

}  // namespace

Timeline::Timeline(const std::vector<JobTimes>& jobs, double nodes)
    : nodes_(bounded_amount(nodes)) {
  Step now;
  std::int64_t running_jobs = 0;
  const std::vector<Change> changes = changes_of(jobs);
  for (std::size_t i = 0; i < changes.size(); ++i) {
    const Change& change = changes[i];
    now.time = change.time;
    now.used += change.used;
    now.waiting += change.waiting;
    now.waiting_jobs += change.waiting_jobs;
    running_jobs += change.running_jobs;
    if (i + 1 < changes.size() && changes[i + 1].time == change.time) continue;
    // Rounding may leave something of a sum whose parts are all gone.
    if (running_jobs == 0) now.used = 0;
    if (now.waiting_jobs == 0) now.waiting = 0;
    steps_.push_back(now);
  }
}

double Timeline::used_of(const Step& step) const { return std::clamp(step.used, 0.0, nodes_); }

template <class Value>
double Timeline::integral(const Interval& time, Value value) const {
  double sum = 0;
  for (std::size_t i = 0; i + 1 < steps_.size(); ++i) {
    const double from = std::max(steps_[i].time, time.from);
    const double to = std::min(steps_[i + 1].time, time.to);
    if (to > from) sum += value(steps_[i]) * (to - from);
  }
  return sum;
}

double Timeline::used(const Interval& time) const {
  return integral(time, [&](const Step& step) { return used_of(step); });
}

double Timeline::idle_while_needed(const Interval& time) const {
  return integral(time, [&](const Step& step) {
    return std::min(nodes_ - used_of(step), std::max(0.0, step.waiting));
  });
}

double Timeline::waiting_job_seconds(const Interval& time) const {
  return integral(time, [](const Step& step) { return static_cast<double>(step.waiting_jobs); });
}

std::int64_t Timeline::most_waiting_jobs() const {
  std::int64_t most = 0;
  for (const Step& step : steps_) most = std::max(most, step.waiting_jobs);
  return most;
}

std::vector<Timeline::Bucket> Timeline::buckets(const Interval& time, std::size_t count) const {
  std::vector<Bucket> buckets(count);
  const double width = time.length() / static_cast<double>(count);
  if (!(width > 0)) return buckets;
  std::size_t step = 0;
  for (std::size_t i = 0; i < count; ++i) {
    const double from = time.from + width * static_cast<double>(i);
    const double to = from + width;
    while (step + 1 < steps_.size() && steps_[step + 1].time <= from) ++step;
    for (std::size_t at = step; at + 1 < steps_.size() && steps_[at].time < to; ++at) {
      const double part = std::min(to, steps_[at + 1].time) - std::max(from, steps_[at].time);
      if (part <= 0) continue;
      buckets[i].used += used_of(steps_[at]) * part / width;
      buckets[i].waiting_jobs += static_cast<double>(steps_[at].waiting_jobs) * part / width;
    }
  }
  return buckets;
}

}  // namespace berth::results
