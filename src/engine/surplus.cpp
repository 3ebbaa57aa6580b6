#include "berth/engine/surplus.h"

#include <algorithm>

namespace berth::engine {

namespace {

// How many of each role are beyond its minimum; empty where minimums of roles do not count.
std::vector<std::int32_t> spare_of_roles(const Job& job) {
  std::vector<std::int32_t> spare;
  if (!job.roles_bind()) return spare;
  for (const Role& role : job.roles) spare.push_back(ready_count(role.counts) - role.minimum);
  return spare;
}

}  // namespace

// SURPLUS-1
std::int32_t surplus_count(const Job& job) {
  if (!job.has_group) return 0;  // its minimum is not known
  std::int32_t count = std::max(0, job.placed_count() - job.min_available);
  if (!job.roles_bind()) return count;
  std::int32_t beyond_roles = job.placed_count();
  for (const Role& role : job.roles) {
    beyond_roles -= std::min(ready_count(role.counts), role.minimum);
  }
  return std::min(count, beyond_roles);
}

// SURPLUS-2
std::vector<TaskId> surplus_of(const Session& session, const Job& job) {
  std::int32_t spare = surplus_count(job);
  std::vector<TaskId> surplus;
  if (spare == 0) return surplus;
  const Cluster& cluster = session.cluster();
  std::vector<TaskId> placed;
  for (const TaskId id : job.tasks) {
    if (is_allocated(cluster.task(id).status)) placed.push_back(id);
  }
  const auto before = [&](TaskId left, TaskId right) {
    return session.ask(points::task_order, cluster.task(left), cluster.task(right)) == Order::less;
  };
  if (!std::is_sorted(placed.begin(), placed.end(), before)) {
    std::stable_sort(placed.begin(), placed.end(), before);
  }
  std::vector<std::int32_t> of_role = spare_of_roles(job);
  for (auto each = placed.rbegin(); each != placed.rend() && spare > 0; ++each) {
    const std::uint16_t role = cluster.task(*each).role;
    if (role < of_role.size() && of_role[role]-- <= 0) continue;
    surplus.push_back(*each);
    --spare;
  }
  return surplus;
}

}  // namespace berth::engine
