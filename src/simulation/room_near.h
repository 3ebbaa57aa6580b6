#pragma once

#include <string>
#include <vector>

#include "simulation/explanation.h"

namespace berth::simulation {

// Of a job whose pods must be in one domain: the domains with the most room for those that wait, as
// "b1/r7 has room for 12 of 16 pods". After the cycle. Empty: it has no such wish.
std::vector<std::string> room_near(JobId job, const CycleRecord& record);

}  // namespace berth::simulation
