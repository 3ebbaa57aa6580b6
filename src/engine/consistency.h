#pragma once

#include <cstdint>
#include <string>

#include "berth/model/cluster.h"

namespace berth::engine {

// Checks the invariants of a cluster, computed again from its tasks: node accounts, job counts,
// queue allocations, totals; no node given away by us beyond its allocatable. Returns the first
// violation in words; empty when there is none. Costs a pass over everything.
std::string first_inconsistency(const Cluster& cluster);

// Equal for equal states (stamp included); different states differ except by chance.
std::uint64_t fingerprint(const Cluster& cluster);

// Of that, what pods require of each other: terms, counts and shapes.
std::string relation_fault(const Cluster& cluster);
// The same for volumes of tasks on nodes (VOLUME-12).
std::string volume_fault(const Cluster& cluster);

}  // namespace berth::engine
