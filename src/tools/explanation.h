#pragma once

#include <string>
#include <vector>

#include "berth/model/plan.h"
#include "tools/cluster_copy.h"
#include "tools/report.h"
#include "tools/trial.h"

namespace berth::tools {

// A cycle as it was: what there was before the session, what the session decided, and what there is
// now that it is carried out.
struct CycleRecord {
  std::size_t cycle = 1;
  const std::vector<ClusterEvent>& before;
  const Plan& plan;
  const ClusterCopy& after;
};

// Where the job stands, who came before it and what it lacks. Whatever it says would help was tried
// in a session of its own.
Explanation explain_job(JobId id, const CycleRecord& record, const TrialSetting& setting);

}  // namespace berth::tools
