#pragma once

#include <string>
#include <vector>

#include "berth/model/cluster.h"
#include "berth/model/plan.h"

namespace berth::support {

// VICTIM-10: the members that the plan promises room, of jobs for which others leave in it, that
// kube-scheduler's filters refuse in every order once all have left. In words. The cluster is as
// it was before the plan, and is so again.
std::vector<std::string> members_without_a_place(Cluster& cluster, const Plan& plan);

}  // namespace berth::support
