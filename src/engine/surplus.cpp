#include "berth/engine/surplus.h"

#include <algorithm>

namespace berth::engine {

namespace {

std::int32_t running(const StatusCounts& counts) {
  return count_of(counts, TaskStatus::bound) + count_of(counts, TaskStatus::running);
}

}  // namespace

std::int32_t spare_of(const Role& role) { return running(role.counts) - role.minimum; }

// SURPLUS-1
std::int32_t surplus_count(const Job& job) {
  if (!job.has_group || job.leaves_whole) return 0;  // without a group, its minimum is not known
  const std::int32_t count = std::max(0, running(job.counts) - job.min_available);
  if (!job.roles_bind()) return count;
  std::int32_t beyond_roles = running(job.counts);
  for (const Role& role : job.roles) {
    beyond_roles -= std::min(running(role.counts), role.minimum);
  }
  return std::min(count, beyond_roles);
}

bool may_be_surplus(const Job& job, const Task& task) {
  if (!is_on_its_node(task.status) || surplus_count(job) == 0) return false;
  return !job.roles_bind() || task.role >= job.roles.size() || spare_of(job.roles[task.role]) > 0;
}

// SURPLUS-2
std::vector<TaskId> possible_surplus(const Session& session, const Job& job) {
  std::vector<TaskId> possible;
  if (surplus_count(job) == 0) return possible;
  const Cluster& cluster = session.cluster();
  for (const TaskId id : job.tasks) {
    if (may_be_surplus(job, cluster.task(id))) possible.push_back(id);
  }
  const auto before = [&](TaskId left, TaskId right) {
    return session.ask(points::task_order, cluster.task(left), cluster.task(right)) == Order::less;
  };
  if (!std::is_sorted(possible.begin(), possible.end(), before)) {
    std::stable_sort(possible.begin(), possible.end(), before);
  }
  std::reverse(possible.begin(), possible.end());
  return possible;
}

std::vector<TaskId> surplus_of(const Session& session, const Job& job) {
  const Cluster& cluster = session.cluster();
  std::vector<std::int32_t> of_role;
  for (const Role& role : job.roles) of_role.push_back(spare_of(role));
  std::int32_t left = surplus_count(job);
  std::vector<TaskId> surplus = possible_surplus(session, job);
  std::erase_if(surplus, [&](TaskId id) {
    const Task& task = cluster.task(id);
    if (left == 0 || !task.is_preemptable) return true;
    if (job.roles_bind() && task.role < of_role.size() && of_role[task.role]-- <= 0) return true;
    --left;
    return false;
  });
  return surplus;
}

bool may_leave_whole(const Job& job) {
  // A job that holds claims is about to start: others may just have left for it.
  const bool holds_claims = job.count(TaskStatus::pipelined) > 0;
  const std::int32_t on_nodes = job.placed_count() - job.count(TaskStatus::succeeded);
  return job.exists && job.queue.is_valid() && on_nodes > surplus_count(job) && !holds_claims;
}

void append_parts(const Job& job, PartSet& parts) {
  const bool runs =
      job.exists && job.queue.is_valid() && job.placed_count() > job.count(TaskStatus::succeeded);
  if (!runs) return;
  if (surplus_count(job) > 0) parts.push_back({job.id, JobPart::Kind::surplus});
  if (may_leave_whole(job)) parts.push_back({job.id, JobPart::Kind::whole});
}

}  // namespace berth::engine
