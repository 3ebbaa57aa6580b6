#include "daemon/stale_plans.h"

#include <algorithm>
#include <utility>

namespace berth::daemon {

namespace {

// kube-scheduler tries one pod after the other: at least a hundred a second, and usually several
// hundred.
constexpr int kPodsEachSecond = 100;

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

// Of now, with the time since when it has been so.
JobProgress progress_of(const Job& job, TimePoint now, JobId id,
                        const std::map<JobId, JobProgress>& before) {
  JobProgress progress{job.uid, now, job.count(TaskStatus::binding),
                       job.count(TaskStatus::bound) + job.count(TaskStatus::running)};
  const auto known = before.find(id);
  if (known != before.end() && known->second.uid == progress.uid &&
      known->second.planned == progress.planned && known->second.bound == progress.bound) {
    progress.since = known->second.since;
  }
  return progress;
}

}  // namespace

std::vector<PlacementDropped> StalePlans::due(const Plan& plan, const Cluster& cluster,
                                              TimePoint now) {
  std::vector<PlacementDropped> drops;
  decltype(incomplete_since_) still;
  for (const Refusal& refusal : plan.refusals) {
    const Job& job = cluster.job(refusal.job);
    if (!is_incomplete(job)) continue;
    const auto known = incomplete_since_.find({refusal.job, job.uid});
    const TimePoint since = known == incomplete_since_.end() ? now : known->second;
    if (now - since < patience_) {
      still[{refusal.job, job.uid}] = since;
      continue;
    }
    drop_planned(cluster, job, "its gang stayed incomplete", drops);
  }
  incomplete_since_ = std::move(still);
  return drops;
}

std::vector<PlacementDropped> UnclaimedPlans::due(const Cluster& cluster, TimePoint now,
                                                  const WrittenAt& written_at) {
  std::vector<PlacementDropped> drops;
  std::map<JobId, JobProgress> still;
  const Duration patience =
      patience_ + std::chrono::seconds(cluster.binding_task_count() / kPodsEachSecond);
  if (cluster.binding_task_count() > 0) {
    for (const JobId id : cluster.open_jobs()) {
      const Job& job = cluster.job(id);
      if (job.count(TaskStatus::binding) == 0) continue;
      JobProgress progress = progress_of(job, now, id, progress_);
      progress.since = std::max(progress.since, written_at(job));
      if (now - progress.since < patience) {
        still[id] = progress;
      } else {
        drop_planned(cluster, job, "nobody came to bind it", drops);
      }
    }
  }
  progress_ = std::move(still);
  return drops;
}

std::vector<TaskId> BrokenGangs::due(const Cluster& cluster, TimePoint now) {
  std::vector<TaskId> evictions;
  std::map<JobId, JobProgress> still;
  for (const JobId id : cluster.open_jobs()) {
    const Job& job = cluster.job(id);
    const bool was_whole = job.phase != GroupPhase::pending && job.phase != GroupPhase::inqueue;
    const JobProgress progress = progress_of(job, now, id, progress_);
    if (was_whole || progress.bound == 0 || progress.planned > 0) continue;
    if (now - progress.since < patience_) {
      still[id] = progress;
      continue;
    }
    for (const TaskId task : job.tasks) {
      const TaskStatus status = cluster.task(task).status;
      if (status == TaskStatus::bound || status == TaskStatus::running) evictions.push_back(task);
    }
  }
  progress_ = std::move(still);
  return evictions;
}

}  // namespace berth::daemon
