#pragma once

#include <string>
#include <vector>

#include "berth/model/plan.h"
#include "engine/scheduler.h"
#include "simulation/cluster_copy.h"
#include "simulation/report.h"
#include "simulation/trial.h"

namespace berth::simulation {

// The jobs that wait as one job does, in the order in which they would get a turn. Jobs that can
// never start are not among them.
struct Line {
  std::vector<JobId> jobs;
  bool is_for_admission = false;  // else for places
};
Line line_of(JobId id, engine::Scheduler& scheduler, ClusterCopy& copy, TimePoint now);

// A cycle as it was: what there was before the session, what the session decided, and what there is
// now that it is carried out.
struct CycleRecord {
  std::size_t cycle = 1;
  TimePoint now;
  const std::vector<ClusterEvent>& before;
  const Line& line;  // before the session
  const Plan& plan;
  ClusterCopy& after;
  engine::Scheduler& scheduler;
};

// Where the job stands, which jobs are before it in line, and what it lacks. Whatever it says would
// help was tried in a session of its own.
Explanation explain_job(JobId id, const CycleRecord& record, const TrialSetting& setting);

}  // namespace berth::simulation
