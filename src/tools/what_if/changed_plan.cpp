#include "tools/what_if/changed_plan.h"

#include <utility>

#include "simulation/simulation.h"
#include "tools/what_if/changes.h"

namespace berth::tools {

Result<ChangedPlan> plan_changed(const PlanningFlags& flags, const WhatIf& changes,
                                 const std::string& explain, Console& console) {
  const Result<PlanInput> input = read_plan_input(flags, console);
  if (!input) return input.error();
  PlanInput with = *input;
  Result<conf::Config> config = changed_config(input->cluster.config, changes);
  if (!config) return config.error();
  with.cluster.config = *std::move(config);
  std::vector<ClusterEvent>& objects = with.cluster.objects;
  const TimePoint now = simulation::date_new_objects(with.now, objects);
  with.now = now;
  if (const Status left = leave_out_jobs(changes, with.cluster.config, now, objects); !left) {
    return left.error();
  }
  auto later = change_nodes(changes, with.cluster.config.scheduler_names, now, objects);
  if (!later) return later.error();
  with.later = *std::move(later);
  Result<simulation::Report> before = plan_input(*input, "", console);
  if (!before) return before.error();
  Result<simulation::Report> report = plan_input(std::move(with), explain, console);
  if (!report) return report.error();
  note_report(*report, console.err);
  return ChangedPlan{*std::move(report), *std::move(before)};
}

}  // namespace berth::tools
