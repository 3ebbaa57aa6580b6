#include "tools/when/cases.h"

#include <map>
#include <utility>
#include <vector>

#include "simulation/simulation.h"
#include "tools/simulate/snapshot.h"
#include "tools/what_if/changes.h"

namespace berth::tools {

Result<Forecast> Cases::as_it_is() {
  const Result<history::Recording> dump = snapshot_of(input_.objects, input_.config, options_.now);
  if (!dump) return dump.error();
  Result<Forecast> made = forecast({*dump, input_.config, options_.run_time});
  if (!made) return made;
  if (const Status explained = explain(*made); !explained) return explained.error();
  return made;
}

Result<Forecast> Cases::with(const WhatIf& changes) {
  const Result<conf::Config> config = changed_config(options_.config, changes);
  if (!config) return config.error();
  std::vector<ClusterEvent> objects = input_.objects;
  const TimePoint now = simulation::date_new_objects(options_.now, objects);
  auto later = change_nodes(changes, config->scheduler_names, now, objects);
  if (!later) return later.error();
  Result<history::Recording> dump = snapshot_of(std::move(objects), *config, now);
  if (!dump) return dump.error();
  for (const std::string& name : leave_out_jobs(changes, *dump)) return no_such_job(name);
  return forecast({*dump, *config, options_.run_time, *std::move(later)});
}

Result<Forecast> Cases::forecast(const ForecastRequest& asked) {
  return forecast_of(asked, on_progress_);
}

Status Cases::explain(Forecast& forecast) const {
  simulation::SimulationRequest request;
  request.objects = input_.objects;
  request.config = input_.config;
  request.now = simulation::date_new_objects(options_.now, request.objects);
  const Result<simulation::Report> report = simulation::simulate(std::move(request));
  if (!report) return report.error();
  std::map<std::string, const simulation::JobRow*> rows;
  for (const simulation::JobRow& row : report->cycles.back().jobs) rows.emplace(row.job, &row);
  for (ForecastRow& row : forecast.jobs) {
    const auto found = rows.find(row.job);
    if (found == rows.end()) continue;
    row.reason = found->second->reason;
    row.message = found->second->message;
  }
  return Done{};
}

}  // namespace berth::tools
