#pragma once

#include <cstdint>
#include <string>

#include "berth/model/cluster.h"

namespace berth::engine {

// What must hold of a cluster at any time, worked out anew from its tasks: node accounts, job
// counts, queue allocations, totals; no node given away beyond its allocatable by us. The first
// thing that does not hold, in words; empty when all does. Costs a pass over everything.
std::string first_inconsistency(const Cluster& cluster);

// Equal for equal states (stamp included), different for different ones but for chance.
std::uint64_t fingerprint(const Cluster& cluster);

}  // namespace berth::engine
