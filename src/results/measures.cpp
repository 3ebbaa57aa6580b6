#include "results/measures.h"

#include <algorithm>
#include <limits>
#include <map>
#include <numeric>
#include <utility>

#include "results/job_times.h"
#include "results/shares.h"
#include "results/timeline.h"
#include "results/units.h"

namespace berth::results {

namespace {

constexpr double kMargin = 0.1;  // of the time, on both sides of the middle

double ratio(double part, double whole) { return whole > 0 ? part / whole : 0; }

double ratio_up_to_one(double part, double whole) {
  return std::clamp(ratio(part, whole), 0.0, 1.0);
}

void count_jobs(const std::vector<JobTimes>& jobs, Measures& measures) {
  std::vector<double> waits;
  std::vector<double> turnarounds;
  std::vector<double> slowdowns;
  for (const JobTimes& job : jobs) {
    ++measures.jobs;
    if (!job.last_run) {
      ++(job.is_cancelled() ? measures.cancelled : measures.never_started);
      continue;
    }
    ++measures.started;
    waits.push_back(job.wait());
    slowdowns.push_back(bounded_slowdown_of(job));
    if (!job.has_ended) continue;
    ++measures.ended;
    turnarounds.push_back(job.last_run->to - job.submit);
  }
  measures.wait = distribution_of(std::move(waits));
  measures.turnaround = distribution_of(std::move(turnarounds));
  measures.bounded_slowdown = distribution_of(std::move(slowdowns));
}

void measure_machine(const std::vector<JobTimes>& jobs, const RunResult& run, Measures& measures) {
  const Timeline timeline(jobs, run.nodes);
  const Interval whole = whole_time(jobs);
  const double margin = whole.length() * kMargin;
  const Interval middle{whole.from + margin, whole.to - margin};
  const double nodes = bounded_amount(run.nodes);
  const double capacity = nodes * whole.length();
  measures.makespan = whole.length();
  measures.utilisation = ratio_up_to_one(timeline.used(whole), capacity);
  measures.utilisation_of_middle = ratio_up_to_one(timeline.used(middle), nodes * middle.length());
  measures.mean_waiting_jobs = ratio(timeline.waiting_job_seconds(whole), whole.length());
  measures.most_waiting_jobs = timeline.most_waiting_jobs();
  measures.loss_of_capacity = ratio_up_to_one(timeline.idle_while_needed(whole), capacity);
  measures.idle_reserved = ratio_up_to_one(bounded_amount(run.idle_reserved), capacity);
}

// RESULT-7: work that is in vain but has no times is what was lost.
void measure_work(const std::vector<JobTimes>& jobs, Measures& measures) {
  for (const JobTimes& job : jobs) {
    const double lost = bounded_amount(job.job->lost);
    job.for_each_run([&](const Interval& run) { measures.work += job.size * run.length(); });
    if (job.earlier_runs.empty()) measures.work += lost;
    measures.lost_work += lost;
    const std::int64_t evictions = std::max<std::int64_t>(0, job.job->evictions);
    measures.evictions += evictions;
    if (evictions > 0) ++measures.evicted_jobs;
  }
  measures.lost_share = ratio_up_to_one(measures.lost_work, measures.work);
}

// RESULT-8: backwards by submission, with the earliest start of all that are submitted later.
void count_passed(const std::vector<JobTimes>& jobs, Measures& measures) {
  constexpr double kNever = std::numeric_limits<double>::max();
  double earliest = kNever;  // of jobs submitted later than the present group
  for (std::size_t end = jobs.size(); end > 0;) {
    std::size_t begin = end;
    double earliest_here = kNever;
    while (begin > 0 && jobs[begin - 1].submit == jobs[end - 1].submit) {
      const JobTimes& job = jobs[--begin];
      const double start = job.last_run ? job.last_run->from : kNever;
      if (!job.is_cancelled() && earliest < start) ++measures.passed;
      earliest_here = std::min(earliest_here, start);
    }
    earliest = std::min(earliest, earliest_here);
    end = begin;
  }
  measures.passed_share = ratio(static_cast<double>(measures.passed),
                                static_cast<double>(measures.jobs - measures.cancelled));
}

struct Class {
  double above = 0;
  std::optional<double> up_to = {};
  std::vector<double> waits = {};
  std::vector<double> slowdowns = {};
};

std::vector<ClassMeasures> measures_of(std::map<double, Class> classes) {
  std::vector<ClassMeasures> list;
  for (auto& [above, each] : classes) {
    list.push_back({each.above, each.up_to, distribution_of(std::move(each.waits)),
                    distribution_of(std::move(each.slowdowns))});
  }
  return list;
}

Class class_of_size(double size) {
  double up_to = 1;
  while (up_to < size) up_to *= 2;
  return {.above = up_to > 1 ? up_to / 2 : 0, .up_to = up_to};
}

Class class_of_run_time(double run) {
  double above = 0;
  for (const std::int64_t seconds : {kMinute, 10 * kMinute, kHour, 4 * kHour, kDay}) {
    const auto up_to = static_cast<double>(seconds);
    if (run <= up_to) return {.above = above, .up_to = up_to};
    above = up_to;
  }
  return {.above = above};
}

template <class Classify>
std::vector<ClassMeasures> classes_of(const std::vector<JobTimes>& jobs, Classify class_of) {
  std::map<double, Class> classes;
  for (const JobTimes& job : jobs) {
    if (!job.last_run) continue;
    Class its = class_of(job);
    Class& known = classes.try_emplace(its.above, std::move(its)).first->second;
    known.waits.push_back(job.wait());
    known.slowdowns.push_back(bounded_slowdown_of(job));
  }
  return measures_of(std::move(classes));
}

}  // namespace

Distribution distribution_of(std::vector<double> values) {
  Distribution distribution;
  distribution.count = values.size();
  if (values.empty()) return distribution;
  std::sort(values.begin(), values.end());
  const auto percentile = [&](std::size_t percent) {
    return values[(values.size() * percent + 99) / 100 - 1];
  };
  const double sum = std::accumulate(values.begin(), values.end(), 0.0);
  distribution.mean = sum / static_cast<double>(values.size());
  distribution.median = percentile(50);
  distribution.p90 = percentile(90);
  distribution.p99 = percentile(99);
  distribution.max = values.back();
  return distribution;
}

Measures measure(const RunResult& run) {
  Measures measures;
  const std::vector<JobTimes> jobs = times_of(run);
  count_jobs(jobs, measures);
  measure_machine(jobs, run, measures);
  measure_work(jobs, measures);
  count_passed(jobs, measures);
  measures.users = shares_of(jobs, &JobResult::user, run.nodes);
  measures.queues = shares_of(jobs, &JobResult::queue, run.nodes);
  measures.by_size = classes_of(jobs, [](const JobTimes& job) { return class_of_size(job.size); });
  measures.by_run_time =
      classes_of(jobs, [](const JobTimes& job) { return class_of_run_time(job.run); });
  return measures;
}

JudgedRun judged(RunResult run) {
  Measures measures = measure(run);
  return {std::move(run), std::move(measures)};
}

}  // namespace berth::results
