#pragma once

#include <string>
#include <vector>

#include "berth/model/plan.h"
#include "simulation/explanation.h"

namespace berth::simulation {

// What the pods that the job still needs ask for in all, against what is idle in all.
std::vector<std::string> what_is_missing(JobId id, const Refusal& refusal,
                                         const CycleRecord& record);

// What would let the job start: said only where it follows from the reason, or was tried.
std::vector<std::string> remedies_for(JobId id, const Refusal& refusal, const CycleRecord& record,
                                      const TrialSetting& setting);

}  // namespace berth::simulation
