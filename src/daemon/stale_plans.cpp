#include "daemon/stale_plans.h"

#include <utility>

namespace berth::daemon {

namespace {

// Refused, with members that are planned and none that is bound.
bool is_incomplete(const Job& job) {
  return job.count(TaskStatus::binding) > 0 && job.count(TaskStatus::bound) == 0 &&
         job.count(TaskStatus::running) == 0 && job.placed_count() < job.min_available;
}

void drop_planned(const Cluster& cluster, const Job& job, const char* why,
                  std::vector<PlacementDropped>& drops) {
  for (const TaskId id : job.tasks) {
    const Task& task = cluster.task(id);
    if (task.status != TaskStatus::binding) continue;
    drops.push_back({task.uid, cluster.node(task.node).name, why});
  }
}

}  // namespace

std::vector<PlacementDropped> StalePlans::due(const Plan& plan, const Cluster& cluster,
                                              TimePoint now) {
  std::vector<PlacementDropped> drops;
  std::map<JobId, TimePoint> still;
  for (const Refusal& refusal : plan.refusals) {
    const Job& job = cluster.job(refusal.job);
    if (!is_incomplete(job)) continue;
    const auto known = incomplete_since_.find(refusal.job);
    const TimePoint since = known == incomplete_since_.end() ? now : known->second;
    if (now - since < patience_) {
      still[refusal.job] = since;
      continue;
    }
    drop_planned(cluster, job, "its gang stayed incomplete", drops);
  }
  incomplete_since_ = std::move(still);
  return drops;
}

std::vector<PlacementDropped> UnclaimedPlans::due(const Cluster& cluster, TimePoint now) {
  std::vector<PlacementDropped> drops;
  std::map<JobId, Progress> still;
  if (cluster.binding_task_count() > 0) {
    for (const JobId id : cluster.open_jobs()) {
      const Job& job = cluster.job(id);
      Progress progress{now, job.count(TaskStatus::binding),
                        job.count(TaskStatus::bound) + job.count(TaskStatus::running)};
      if (progress.planned == 0) continue;
      const auto known = progress_.find(id);
      if (known != progress_.end() && known->second.planned == progress.planned &&
          known->second.bound == progress.bound) {
        progress.since = known->second.since;
      }
      if (now - progress.since < patience_) {
        still[id] = progress;
      } else {
        drop_planned(cluster, job, "nobody came to bind it", drops);
      }
    }
  }
  progress_ = std::move(still);
  return drops;
}

}  // namespace berth::daemon
