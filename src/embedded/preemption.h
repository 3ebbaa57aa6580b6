#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "embedded/api_server.h"
#include "embedded/scheduler_cache.h"

namespace berth::embedded {

// Pods that would leave a node for another.
struct Victims {
  std::string node;
  std::vector<PodObject> pods;  // the most important first
  std::int64_t violations = 0;  // of disruption budgets
};

// kube-scheduler's default preemption: the pods of lower priority without which the node takes the
// pod. Those stay that need not leave: first those whose budget allows no disruption, then the more
// important. None: it is no help if pods leave. `there`: the pods that have room on the node.
std::optional<Victims> victims_on(const SchedulerCache::Node& node, const PodObject& pod,
                                  SchedulerCache& cache, const std::vector<PodObject>& there,
                                  const ApiServer::Objects<BudgetObject>& budgets);

// The node that it takes, of at least one: fewest violations, the lowest highest priority, the
// lowest sum of priorities, the fewest pods, the latest start. The first of equal ones.
const Victims& least_harm(const std::vector<Victims>& candidates);

}  // namespace berth::embedded
