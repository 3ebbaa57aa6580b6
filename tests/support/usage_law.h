#pragma once

#include <string>
#include <vector>

#include "berth/model/cluster.h"

namespace berth::support {

// The accounts of use that differ from what jobs have, between sessions and once all is settled.
std::vector<std::string> broken_usage_law(const Cluster& cluster);

}  // namespace berth::support
