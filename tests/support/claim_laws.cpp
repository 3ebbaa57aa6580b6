#include "support/claim_laws.h"

#include <set>

namespace berth::support {

namespace {

// EVICT-5. Nobody is asked to leave twice, nor while it leaves.
void judge_evictions(const Cluster& before, const Plan& plan, std::vector<std::string>& faults) {
  std::set<TaskId> seen;
  for (const PlannedEviction& each : plan.evictions) {
    const Task& task = before.task(each.task);
    const bool runs = task.status == TaskStatus::bound || task.status == TaskStatus::running;
    if (!runs || !seen.insert(each.task).second) faults.push_back(task.name + ": evicted twice");
  }
}

// CLAIM-7. Claimed room exists once all planned pods are bound and all leaving pods are gone: room
// that is claimed for one job is never given to another.
void judge_claims(const Cluster& before, const Plan& plan, std::vector<std::string>& faults) {
  std::vector<Resources> room(before.node_count());
  const auto add = [&](TaskId id, NodeId node, int sign) {
    for (const auto& [dimension, amount] : before.shape_of(id).requested) {
      room[node.index()].add(dimension, sign * amount);
    }
  };
  for (std::size_t n = 0; n < room.size(); ++n) room[n] = before.node(NodeId(n)).allocatable;
  std::set<TaskId> leaving;
  for (const PlannedEviction& each : plan.evictions) leaving.insert(each.task);
  for (std::size_t t = 0; t < before.task_slots(); ++t) {
    const Task& task = before.task(TaskId(t));
    if (task.uid.empty() || !task.node.is_valid() || !occupies_node(task.status)) continue;
    if (task.status == TaskStatus::releasing || leaving.contains(TaskId(t))) continue;
    add(TaskId(t), task.node, -1);
  }
  for (const auto& [id, node] : plan.binds) add(id, node, -1);
  for (const auto& [id, node] : plan.pipelined) add(id, node, -1);
  for (const auto& [id, node] : plan.pipelined) {
    for (const auto& [dimension, amount] : before.shape_of(id).requested) {
      if (room[node.index()][dimension] >= 0) continue;
      faults.push_back("node " + before.node(node).name +
                       ": more is claimed than there will be, by " + before.task(id).name);
    }
  }
}

}  // namespace

std::vector<std::string> broken_claim_laws(const Cluster& before, const Plan& plan) {
  std::vector<std::string> faults;
  judge_evictions(before, plan, faults);
  judge_claims(before, plan, faults);
  return faults;
}

}  // namespace berth::support
