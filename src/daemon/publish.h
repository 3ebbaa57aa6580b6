#pragma once

#include <cstdint>
#include <functional>
#include <limits>
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
  bool shows = false;           // steering mode `view`
  bool gangs_are_whole = true;  // the gang plugin is there; else every pod is bound by itself
  std::shared_ptr<const ports::GuardTable> guard = nullptr;
  // STEER-16: the place of a task in the order of the plans; none: no places are exchanged.
  std::function<std::uint64_t(TaskId)> order_of = {};
  std::uint64_t exchanges = 0;  // that the cluster has
  bool locks_are_taints = false;
  ports::Term term = {};
  std::int32_t scheduled_events = std::numeric_limits<std::int32_t>::max();  // VIEW-20
};

// The table of a cluster in which plans have been assumed: planned pods, the needs of their gangs,
// the room left on their nodes and on nodes with claims, locks and claimed nodes.
std::shared_ptr<const ports::PlanTable> make_plan_table(const Cluster& cluster,
                                                        const PlanTableOptions& options);

}  // namespace berth::daemon
