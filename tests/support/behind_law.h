#pragma once

#include <string>
#include <vector>

#include "berth/base/clock.h"
#include "berth/model/cluster.h"
#include "berth/model/plan.h"
#include "berth/model/time_limit.h"

namespace berth::support {

// BEHIND-3: jobs are placed on the nodes of a target only if these will hold it as soon as without
// them, by time limits. Of targets whose pods are alike, and that had nodes before.
std::vector<std::string> broken_behind_laws(const Cluster& before, const Plan& plan, TimePoint now,
                                            LimitTrust trust);

// LOCK-9: a target's first nodes hold it as soon as all would that it could have had, by all time
// limits. Of targets whose pods are alike; node constraints do not count.
std::vector<std::string> broken_soonest_laws(const Cluster& before, const Plan& plan,
                                             TimePoint now);

}  // namespace berth::support
