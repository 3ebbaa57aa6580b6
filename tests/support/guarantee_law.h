#pragma once

#include <string>
#include <vector>

#include "berth/model/cluster.h"
#include "berth/model/plan.h"

namespace berth::support {

// The law of guarantees, where a plan breaks it: what was due to a queue before the plan's
// placements, and there was room for, there is room for after them.
std::vector<std::string> broken_guarantees(const Cluster& before, const Plan& plan);

}  // namespace berth::support
