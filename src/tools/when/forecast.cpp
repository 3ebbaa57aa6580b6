#include "tools/when/forecast.h"

#include <algorithm>
#include <tuple>
#include <utility>

#include "simulation/job_stream.h"

namespace berth::tools {

namespace {

simulation::StreamRequest request_of(const history::Recording& dump, const Workload& workload,
                                     const conf::Config& config, const OnForecast& on_progress) {
  simulation::StreamRequest request;
  request.jobs = workload.jobs;
  request.nodes = dump.nodes;
  request.others = workload.queues;
  request.config = config;
  const std::size_t all = workload.jobs.size();
  request.on_progress = [&on_progress, all](std::size_t done) {
    on_progress(done, all);
    return true;
  };
  return request;
}

ForecastRow row_of(const simulation::StreamJob& job, const results::JobResult& known,
                   const simulation::StreamOutcome& outcome) {
  ForecastRow row;
  row.job = known.id;
  row.queue = known.queue;
  row.pods = job.pods;
  row.waited = job.waited;
  if (!job.never_ends) row.run = job.run;
  // It comes a moment after those that run (HISTORY-12), which is no wait.
  if (outcome.start) row.start = *outcome.start == job.submit ? Duration() : *outcome.start;
  return row;
}

}  // namespace

Result<Forecast> forecast_of(const history::Recording& dump, const conf::Config& config,
                             std::optional<Duration> unknown, const OnForecast& on_progress) {
  std::int64_t left_out = 0;
  RunTimes times;
  times.unknown = unknown;
  times.of_dump = true;
  times.may_never_end = true;
  const Result<Workload> workload = workload_of(dump, dump.nodes, times, left_out);
  if (!workload) return workload.error();
  const Result<simulation::StreamResult> result =
      simulation::run_stream(request_of(dump, *workload, config, on_progress));
  if (!result) return result.error();
  Forecast forecast;
  forecast.now = dump.begin;
  forecast.until = result->until;
  for (std::size_t i = 0; i < workload->jobs.size(); ++i) {
    const simulation::StreamJob& job = workload->jobs[i];
    if (!job.places.empty()) {
      forecast.unending += job.never_ends ? 1U : 0U;
      continue;
    }
    forecast.jobs.push_back(row_of(job, workload->known[i], result->jobs[i]));
  }
  std::sort(forecast.jobs.begin(), forecast.jobs.end(), [](const auto& left, const auto& right) {
    const auto key = [](const ForecastRow& row) {
      return std::make_tuple(row.start.value_or(Duration::max()), row.job);
    };
    return key(left) < key(right);
  });
  return forecast;
}

}  // namespace berth::tools
