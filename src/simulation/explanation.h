#pragma once

#include <string>
#include <vector>

#include "berth/model/plan.h"
#include "engine/scheduler.h"
#include "simulation/cluster_copy.h"
#include "simulation/report.h"
#include "simulation/trial.h"

namespace berth::simulation {

// The waiting jobs of one kind in the order of their turns. Jobs that can never start are left out.
struct Line {
  std::vector<JobId> jobs;
  bool is_for_admission = false;  // else for places
};
Line line_of(JobId id, engine::Scheduler& scheduler, ClusterCopy& copy, TimePoint now);

// One cycle: the cluster before the session, the decisions, and the cluster after the plan is
// carried out.
struct CycleRecord {
  std::size_t cycle = 1;
  TimePoint now;
  const std::vector<ClusterEvent>& before;
  const Line& line;  // before the session
  const Plan& plan;
  ClusterCopy& after;
  engine::Scheduler& scheduler;
};

// The job to explain, and the pod of it if that is all that is asked about.
struct Explained {
  JobId job;   // invalid: none
  TaskId pod;  // invalid: all pods
};
// The job of that name, or the pod: namespace/name.
Explained find_explained(const std::string& name, const ClusterCopy& copy);

// Explains the state of a job, the jobs before it in line, and its missing resources. Each remedy
// was tried in a session of its own. `cycles` are all up to this one.
Explanation explain(const Explained& what, const CycleRecord& record,
                    const std::vector<CycleReport>& cycles, const TrialSetting& setting);

}  // namespace berth::simulation
