#pragma once

#include <string>
#include <vector>

#include "berth/model/plan.h"
#include "simulation/explanation.h"

namespace berth::simulation {

// The sum of requests that the job still needs, against the sum of idle room.
std::vector<std::string> missing_amounts(JobId id, const Refusal& refusal,
                                         const CycleRecord& record);

// Remedies for the job. Each follows from the reason or was tried.
std::vector<std::string> remedies_for(JobId id, const Refusal& refusal, const CycleRecord& record,
                                      const TrialSetting& setting);

}  // namespace berth::simulation
