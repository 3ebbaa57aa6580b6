#include "tools/when/forecast.h"

#include <algorithm>
#include <tuple>
#include <utility>

#include "simulation/job_stream.h"
#include "tools/simulate/values.h"
#include "tools/what_if/changes.h"

namespace berth::tools {

namespace {

simulation::StreamRequest request_of(const ForecastRequest& asked, const Workload& workload,
                                     const OnForecast& on_progress) {
  simulation::StreamRequest request;
  request.jobs = workload.jobs;
  request.nodes = asked.dump.nodes;
  request.others = workload.queues;
  request.config = asked.config;
  request.node_changes = node_changes_of(asked.later, request.nodes, asked.dump.begin);
  if (asked.until) request.give_up_after = *asked.until;
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
  if (!job.never_ends) row.run = job.run + (outcome.earlier.empty() ? Duration() : job.ran);
  if (!outcome.earlier.empty()) row.stop = outcome.earlier.front().second;
  // It comes a moment after those that run (HISTORY-12), which is no wait.
  if (outcome.start) row.start = *outcome.start == job.submit ? Duration() : *outcome.start;
  return row;
}

bool starts_before(const ForecastRow& left, const ForecastRow& right) {
  const auto key = [](const ForecastRow& row) {
    return std::make_tuple(row.start.value_or(Duration::max()), row.job);
  };
  return key(left) < key(right);
}

}  // namespace

Result<Forecast> forecast_of(const ForecastRequest& asked, const OnForecast& on_progress) {
  const history::Recording& dump = asked.dump;
  std::int64_t left_out = 0;
  RunTimes times;
  times.unknown = asked.unknown;
  times.of_dump = true;
  times.may_never_end = true;
  const Result<Workload> workload = workload_of(dump, dump.nodes, times, left_out);
  if (!workload) return workload.error();
  const Result<simulation::StreamResult> result =
      simulation::run_stream(request_of(asked, *workload, on_progress));
  if (!result) return result.error();
  Forecast forecast;
  forecast.now = dump.begin;
  forecast.until = result->until;
  forecast.nodes = dump.nodes.size();
  for (const simulation::NodeTime& each : asked.later) forecast.nodes -= each.comes ? 0U : 1U;
  for (std::size_t i = 0; i < workload->jobs.size(); ++i) {
    const simulation::StreamJob& job = workload->jobs[i];
    const simulation::StreamOutcome& outcome = result->jobs[i];
    ForecastRow row = row_of(job, workload->known[i], outcome);
    forecast.stops += outcome.earlier.size();
    forecast.lost += workload->known[i].size * in_seconds(outcome.lost);
    if (job.places.empty()) {
      forecast.jobs.push_back(std::move(row));
      continue;
    }
    forecast.unending += job.never_ends ? 1U : 0U;
    if (row.stop) forecast.stopped.push_back(std::move(row));
  }
  std::sort(forecast.jobs.begin(), forecast.jobs.end(), starts_before);
  std::sort(forecast.stopped.begin(), forecast.stopped.end(), starts_before);
  return forecast;
}

}  // namespace berth::tools
