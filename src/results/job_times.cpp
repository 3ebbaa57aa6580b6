#include "results/job_times.h"

#include <algorithm>
#include <cmath>
#include <tuple>

namespace berth::results {

namespace {

constexpr double kLargest = 1e12;

double until_of(const JobResult& job, double submit, double simulated_until) {
  if (job.start) return bounded(*job.start);
  if (job.was_cancelled) return job.end ? bounded(*job.end) : submit;
  return simulated_until;
}

std::vector<Interval> earlier_runs_of(const JobResult& job, double from, double to) {
  std::vector<Interval> runs;
  for (const auto& [start, end] : job.earlier_runs) runs.push_back({bounded(start), bounded(end)});
  std::sort(runs.begin(), runs.end(), [](const Interval& left, const Interval& right) {
    return std::tie(left.from, left.to) < std::tie(right.from, right.to);
  });
  for (Interval& run : runs) {
    run.from = std::clamp(run.from, from, to);
    run.to = std::clamp(run.to, run.from, to);
    from = run.to;
  }
  std::erase_if(runs, [](const Interval& run) { return run.length() <= 0; });
  return runs;
}

JobTimes times_of(const JobResult& job, double simulated_until) {
  JobTimes times;
  times.job = &job;
  times.submit = bounded(job.submit);
  times.size = bounded_amount(job.size);
  times.run = bounded_amount(job.run);
  times.waits_until = std::max(times.submit, until_of(job, times.submit, simulated_until));
  times.earlier_runs = earlier_runs_of(job, times.submit, times.waits_until);
  if (job.start) {
    const double end = job.end ? bounded(*job.end) : simulated_until;
    times.last_run = {times.waits_until, std::max(times.waits_until, end)};
    times.has_ended = job.end.has_value();
  }
  return times;
}

}  // namespace

double bounded(double number) {
  return std::isfinite(number) ? std::clamp(number, -kLargest, kLargest) : 0;
}

double bounded_amount(double number) { return std::max(0.0, bounded(number)); }

std::vector<JobTimes> times_of(const RunResult& run) {
  std::vector<JobTimes> jobs;
  jobs.reserve(run.jobs.size());
  const double until = bounded(run.simulated_until);
  for (const JobResult& job : run.jobs) jobs.push_back(times_of(job, until));
  std::sort(jobs.begin(), jobs.end(), [](const JobTimes& left, const JobTimes& right) {
    const auto key = [](const JobTimes& job) {
      const double end = job.last_run ? job.last_run->to : job.waits_until;
      return std::tuple(job.submit, std::string_view(job.job->id), job.waits_until, end, job.size,
                        job.run, std::string_view(job.job->user), std::string_view(job.job->queue));
    };
    return key(left) < key(right);
  });
  return jobs;
}

double bounded_slowdown_of(const JobTimes& job) {
  constexpr double kBound = 10;  // seconds; shorter jobs count as being this long
  return std::max(1.0, (job.wait() + job.run) / std::max(job.run, kBound));
}

Interval whole_time(const std::vector<JobTimes>& jobs) {
  if (jobs.empty()) return {};
  const double first = jobs.front().submit;  // they are sorted
  double last = first;
  for (const JobTimes& job : jobs) {
    if (job.last_run) last = std::max(last, job.last_run->to);
  }
  return {first, last};
}

}  // namespace berth::results
