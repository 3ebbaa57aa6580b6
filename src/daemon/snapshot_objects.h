#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "berth/model/budget.h"
#include "berth/model/topology_objects.h"
#include "berth/model/topology_wish.h"

// Objects of a snapshot as the Kubernetes API writes them.

namespace berth::daemon {

std::string budget_item(const BudgetObject& budget);
// Empty for one that could not be read.
std::string topology_item(const TopologyObject& topology);

// The annotations of a PodGroup that say this. Only what is about all pods of the job, and names a
// level, can be written so; the rest of the wish is left out.
nlohmann::ordered_json annotations_of(const TopologyWish& wish);

}  // namespace berth::daemon
