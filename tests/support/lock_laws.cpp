#include "support/lock_laws.h"

#include <algorithm>
#include <set>

namespace berth::support {

std::vector<JobId> locks_throughout(const Cluster& before, const Plan& plan) {
  std::vector<JobId> owners(before.node_count());
  for (const Reservation& each : plan.reservations) {
    for (const NodeId node : each.nodes) {
      if (before.node(node).lock.job == each.job) owners[node.index()] = each.job;
    }
  }
  return owners;
}

std::vector<std::string> broken_lock_laws(const Cluster& before, const Plan& plan,
                                          const LawBook& book) {
  std::vector<std::string> faults;
  const std::vector<JobId> owners = locks_throughout(before, plan);
  for (const auto* placements : {&plan.binds, &plan.pipelined}) {
    if (placements == &plan.binds && book.has_backfill_behind) continue;  // behind_law.h
    for (const auto& [id, node] : *placements) {
      const Task& task = before.task(id);
      const JobId owner = owners[node.index()];
      if (!owner.is_valid() || owner == task.job) continue;
      faults.push_back(task.name + " is placed on " + before.node(node).name +
                       ", which is locked for " + before.job(owner).name);
    }
  }
  std::set<NodeId> locked;
  std::set<JobId> targets;
  for (const Reservation& each : plan.reservations) {
    const std::string& name = before.job(each.job).name;
    if (!targets.insert(each.job).second) faults.push_back(name + " is a target twice");
    if (!std::is_sorted(each.nodes.begin(), each.nodes.end())) {
      faults.push_back("the locks of " + name + " are in no order");
    }
    for (const NodeId node : each.nodes) {
      const bool is_free = locked.insert(node).second && !before.node(node).lock.is_foreign;
      if (!is_free) faults.push_back(before.node(node).name + " is locked twice");
    }
  }
  if (targets.size() > book.targets_most) faults.emplace_back("there are too many targets");
  const std::size_t bound =
      std::max<std::size_t>(1, before.node_count() * book.locked_thousandths_most / 1000);
  if (locked.size() > bound) {
    faults.push_back(std::to_string(locked.size()) + " nodes are locked, and " +
                     std::to_string(bound) + " may be");
  }
  if (!book.has_elect && !plan.reservations.empty()) faults.emplace_back("nobody may be a target");
  return faults;
}

}  // namespace berth::support
