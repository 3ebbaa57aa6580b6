#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "berth/model/cluster.h"
#include "ports/plan_table.h"

namespace berth::daemon {

struct PlanTableOptions {
  std::vector<std::string> managed_schedulers;
  std::uint64_t epoch = 0;  // of the session
  bool nominates = true;
  bool gangs_are_whole = true;  // the gang plugin is there; else every pod is bound by itself
};

// What the edges are told of a cluster in which plans have been assumed: the planned pods, what
// their gangs need, what is left on their nodes and on those with claims, and what is locked.
std::shared_ptr<const ports::PlanTable> make_plan_table(const Cluster& cluster,
                                                        const PlanTableOptions& options);

}  // namespace berth::daemon
