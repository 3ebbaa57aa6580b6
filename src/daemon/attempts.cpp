#include "daemon/attempts.h"

#include <algorithm>
#include <utility>

#include "daemon/stale_plans.h"

namespace berth::daemon {

namespace {

// A pod that is a job of its own is tried on another node, too.
constexpr std::int32_t kRefusalsLeast = 3;

bool has_minimum(const Job& job) {
  if (job.placed_count() < job.min_available) return false;
  return !job.roles_bind() || std::all_of(job.roles.begin(), job.roles.end(), [](const Role& role) {
    return ready_count(role.counts) >= role.minimum;
  });
}

}  // namespace

// HINT-2
void Attempts::take(const SchedulerRefusal& refusal, const Cluster& cluster, TaskId task) {
  const Job& job = cluster.job(cluster.task(task).job);
  Open& open = open_[job.id];
  if (open.uid != job.uid) open = Open();
  open.uid = job.uid;
  if (!refusal.why.empty()) open.why = refusal.why;
  open.refused.insert(refusal.pod_uid);
  open.nodes.insert(refusal.node);
  open.is_everywhere = open.is_everywhere || refusal.is_everywhere;
  const bool are_too_many = ++open.refusals > std::max(kRefusalsLeast, job.task_count());
  open.has_failed = open.has_failed || refusal.is_late || refusal.is_everywhere || are_too_many;
}

// An attempt ends well when all that was planned is bound.
void Attempts::forget_what_is_over(const Cluster& cluster) {
  std::erase_if(open_, [&](const auto& entry) {
    const Job& job = cluster.job(entry.first);
    if (!job.exists || job.uid != entry.second.uid) return true;
    return job.count(TaskStatus::pending) + job.count(TaskStatus::binding) == 0;
  });
}

// HINT-3. The places of a gang that cannot be whole are of no use. Members of one that can are on
// their way to be bound.
std::vector<FailedAttempt> Attempts::failed(const Cluster& cluster, bool gangs_are_whole) {
  forget_what_is_over(cluster);
  std::vector<FailedAttempt> failed;
  for (auto next = open_.begin(); next != open_.end();) {
    const auto entry = next++;
    auto& [id, open] = *entry;
    if (!open.has_failed) continue;
    const Job& job = cluster.job(id);
    FailedAttempt each{id, open.why, {}, {}};
    if (!open.is_everywhere) each.nodes.assign(open.nodes.begin(), open.nodes.end());
    if (gangs_are_whole && !has_minimum(job)) {
      drop_planned(cluster, job, "the attempt of its job has failed", each.drops);
    }
    failed.push_back(std::move(each));
    open_.erase(entry);
  }
  return failed;
}

std::vector<FailedAttempt> Attempts::failed_after_session(const Cluster& cluster,
                                                          bool gangs_are_whole) {
  forget_what_is_over(cluster);
  for (auto& [id, open] : open_) {
    const Job& job = cluster.job(id);
    std::set<std::string> still;
    for (const TaskId task_id : job.tasks) {
      const Task& task = cluster.task(task_id);
      if (task.status == TaskStatus::pending && open.refused.contains(task.uid)) {
        still.insert(task.uid);
      }
    }
    open.refused = std::move(still);
    open.has_failed = open.has_failed || !open.refused.empty();
  }
  return failed(cluster, gangs_are_whole);
}

}  // namespace berth::daemon
