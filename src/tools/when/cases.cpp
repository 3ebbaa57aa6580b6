#include "tools/when/cases.h"

#include <algorithm>
#include <map>
#include <utility>
#include <vector>

#include "simulation/simulation.h"
#include "tools/simulate/snapshot.h"
#include "tools/what_if/changes.h"

namespace berth::tools {

Result<Forecast> Cases::as_it_is() {
  Result<Forecast> made = with({});
  if (!made) return made;
  if (const Status explained = explain(*made); !explained) return explained.error();
  return made;
}

Result<bool> Cases::starts_by(const WhatIf& changes, const std::string& job, Duration by) {
  const Result<Forecast> made = with(changes, by);
  if (!made) return made.error();
  return std::any_of(made->jobs.begin(), made->jobs.end(), [&](const ForecastRow& row) {
    return row.job == job && row.start && *row.start <= by;
  });
}

Result<history::Recording> Cases::recording_of(const WhatIf& changes) {
  Result<Case> made = case_of(changes);
  if (!made) return made.error();
  return std::move(made->dump);
}

Result<Cases::Case> Cases::nodes_changed(const WhatIf& changes) {
  Result<conf::Config> config = changed_config(input_.config, changes);
  if (!config) return config.error();
  std::vector<ClusterEvent> objects = input_.objects;
  const TimePoint now = simulation::date_new_objects(options_.now, objects);
  auto later = change_nodes(changes, config->scheduler_names, now, objects);
  if (!later) return later.error();
  Result<history::Recording> dump = snapshot_of(std::move(objects), *config, now);
  if (!dump) return dump.error();
  return Case{changes, *std::move(config), *std::move(dump), *std::move(later)};
}

Result<Cases::Case> Cases::case_of(const WhatIf& changes) {
  WhatIf nodes = changes;
  nodes.without_jobs.clear();
  nodes.time_limits.clear();
  if (!last_ || last_->nodes.texts() != nodes.texts()) {
    Result<Case> made = nodes_changed(nodes);
    if (!made) return made;
    last_ = *std::move(made);
  }
  Case made = *last_;
  const std::vector<Error> faults = change_jobs(changes, made.dump);
  if (!faults.empty()) return faults.front();
  return made;
}

Result<Forecast> Cases::with(const WhatIf& changes, std::optional<Duration> until) {
  const Result<Case> made = case_of(changes);
  if (!made) return made.error();
  ++simulations_;
  return forecast_of({made->dump, made->config, options_.run_time, made->later, until},
                     on_progress_);
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
