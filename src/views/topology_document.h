#pragma once

#include <string>

#include "views/topology_overview.h"

namespace berth::views {

// The document of `berth topology -o json`: docs/topology.md describes it. Amounts are Kubernetes
// quantities; zero amounts are left out.
std::string write_topology_overview(const TopologyOverview& overview);

}  // namespace berth::views
