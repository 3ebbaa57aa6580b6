#pragma once

#include <string>
#include <vector>

#include "berth/model/cluster.h"
#include "berth/model/plan.h"

namespace berth::support {

// The laws of evictions and claims, as broken_laws (laws.h).
std::vector<std::string> broken_claim_laws(const Cluster& before, const Plan& plan);

}  // namespace berth::support
