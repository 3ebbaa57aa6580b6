#pragma once

#include <string>
#include <vector>

#include "support/laws.h"

namespace berth::support {

// The law that nobody is evicted without need, as broken_laws (laws.h): for each pod of surplus and
// for each whole job by itself, there would be no room if it stayed.
std::vector<std::string> needless_evictions(const Cluster& before, const Plan& plan);

}  // namespace berth::support
