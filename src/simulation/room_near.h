#pragma once

#include <string>
#include <vector>

#include "simulation/explanation.h"

namespace berth::simulation {

// Of a job with pods that must be in one domain: the domains with the most room for them, as
// "b1/r7 has room for 12 of 16 pods". Of several such sets, the first that no domain has room for.
// After the cycle. Empty: it has no such wish.
std::vector<std::string> room_near(JobId job, const CycleRecord& record);

}  // namespace berth::simulation
