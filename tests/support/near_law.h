#pragma once

#include <string>
#include <vector>

#include "berth/model/cluster.h"
#include "berth/model/plan.h"

namespace berth::support {

// Must some pods of the job be near each other? Then idle room alone does not start it.
bool must_be_near(const Job& job);

// The jobs that a plan puts apart: pods of one part that must be in one domain of a level are in
// two, or in none, though those that had a place before were not apart. By the labels of nodes.
std::vector<std::string> broken_near_laws(const Cluster& before, const Plan& plan);

}  // namespace berth::support
