#include "daemon/stale_plans.h"

#include <algorithm>
#include <tuple>
#include <utility>

#include "berth/engine/fit.h"

namespace berth::daemon {

namespace {

// kube-scheduler tries one pod after the other: at least a hundred a second, and usually several
// hundred.
constexpr int kPodsEachSecond = 100;

// Times the patience: kube-scheduler may be away for minutes.
constexpr int kOfPlansThatFail = 5;

// Refused, with members that are planned and none that is bound.
bool is_incomplete(const Job& job) {
  return job.count(TaskStatus::binding) > 0 && job.count(TaskStatus::bound) == 0 &&
         job.count(TaskStatus::running) == 0 && job.placed_count() < job.min_available;
}

// Room that is given back on overfilled nodes.
using Freed = std::map<std::pair<NodeId, Dimension>, std::int64_t>;

// As few planned pods leave an overfilled node as it takes.
bool is_crowded_out(const Cluster& cluster, const Task& task, Freed& freed) {
  const Shape& shape = cluster.shape(task.shape);
  const auto lacks = [&](Dimension d) {
    const std::int64_t idle = cluster.idle().at(task.node, d);
    if (idle >= 0) return false;
    const auto given_back = freed.find({task.node, d});
    return given_back == freed.end() || idle + given_back->second < 0;
  };
  const bool is_overfilled = std::any_of(shape.requested.begin(), shape.requested.end(),
                                         [&](const auto& each) { return lacks(each.first); });
  if (!is_overfilled) return false;
  for (const auto& [dimension, amount] : shape.requested) freed[{task.node, dimension}] += amount;
  return true;
}

// The latest first: it is the first to leave.
std::vector<JobId> planned_jobs(const Cluster& cluster) {
  std::vector<JobId> planned;
  for (const JobId id : cluster.open_jobs()) {
    if (cluster.job(id).count(TaskStatus::binding) > 0) planned.push_back(id);
  }
  std::sort(planned.begin(), planned.end(), [&](JobId left, JobId right) {
    const Job& a = cluster.job(left);
    const Job& b = cluster.job(right);
    return std::tie(a.created, a.name) > std::tie(b.created, b.name);
  });
  return planned;
}

// Empty: it still holds.
std::string why_lost(const Cluster& cluster, const Task& task, Freed& freed) {
  const Job& job = cluster.job(task.job);
  if (!job.is_single && !job.has_group) return "its PodGroup is gone";
  const engine::Place place{cluster, cluster.shape(task.shape), cluster.node(task.node)};
  for (const engine::Constraint* each :
       {&engine::constraints::cordon, &engine::constraints::taints}) {
    if (!each->check(place)) return "its node takes it no longer";
  }
  return is_crowded_out(cluster, task, freed) ? "its node was taken before it was bound" : "";
}

// PDB-1: of its disruption budgets, as far as they are known.
bool may_leave(const Cluster& cluster, const Task& task) {
  const std::pair<std::string, std::string> its = split_name(task.name);
  const auto value_of = [&](const std::string& key) {
    return cluster.relations().labels().find(task.labels, key);
  };
  return std::none_of(cluster.budgets().begin(), cluster.budgets().end(), [&](const auto& entry) {
    const BudgetObject& budget = entry.second;
    return budget.allowed == 0 && budget.name_space == its.first && !budget.counts(its.second) &&
           budget.selects(value_of);
  });
}

// By the API server's clock. min: none is.
TimePoint last_bound(const Cluster& cluster, const Job& job) {
  TimePoint last = TimePoint::min();
  for (const TaskId id : job.tasks) {
    const Task& task = cluster.task(id);
    if (is_on_its_node(task.status)) last = std::max(last, task.scheduled_at);
  }
  return last;
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

void drop_planned(const Cluster& cluster, const Job& job, const char* why,
                  std::vector<PlacementDropped>& drops) {
  for (const TaskId id : job.tasks) {
    const Task& task = cluster.task(id);
    if (task.status != TaskStatus::binding) continue;
    drops.push_back({task.uid, cluster.node(task.node).name, why});
  }
}

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

std::vector<PlacementDropped> lost_places(const Cluster& cluster,
                                          const IsBeingBound& is_being_bound) {
  std::vector<PlacementDropped> drops;
  if (cluster.binding_task_count() == 0) return drops;
  Freed freed;
  for (const JobId id : planned_jobs(cluster)) {
    for (const TaskId task_id : cluster.job(id).tasks) {
      const Task& task = cluster.task(task_id);
      if (task.status != TaskStatus::binding || is_being_bound(task)) continue;
      std::string why = why_lost(cluster, task, freed);
      if (!why.empty()) drops.push_back({task.uid, cluster.node(task.node).name, std::move(why)});
    }
  }
  return drops;
}

std::vector<PlacementDropped> UnclaimedPlans::due(const Cluster& cluster, TimePoint now,
                                                  const WrittenAt& written_at,
                                                  const IsBeingBound& is_being_bound,
                                                  const AreShown& are_bindings_shown) {
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
      const auto may_be_bound = [&](TaskId task) { return is_being_bound(cluster.task(task)); };
      const Duration waited = now - progress.since;
      const bool is_late =
          waited >= 2 * patience ||
          (waited >= patience && std::none_of(job.tasks.begin(), job.tasks.end(), may_be_bound));
      if (!is_late || !are_bindings_shown()) {
        still[id] = progress;
      } else {
        drop_planned(cluster, job, "nobody came to bind it", drops);
      }
    }
  }
  progress_ = std::move(still);
  return drops;
}

void BrokenGangs::look(const Cluster& cluster, JobId id, TimePoint now) {
  const Job& job = cluster.job(id);
  const bool was_whole = job.phase != GroupPhase::pending && job.phase != GroupPhase::inqueue;
  // With those that leave: an eviction may be refused, which is no progress.
  const std::int32_t bound = job.count(TaskStatus::bound) + job.count(TaskStatus::running) +
                             job.count(TaskStatus::releasing);
  if (!job.exists || was_whole || bound == 0) {
    in_part_.erase(id);
    return;
  }
  InPart& known = in_part_[id];
  const bool is_same = known.uid == job.uid;
  // When it is first seen, perhaps by a berthd that has just begun, it has a while left: its last
  // status may not have been written.
  if (!is_same) known.bound_at = now - patience_ * kOfPlansThatFail + patience_ / 3;
  known.bound_at = std::max(known.bound_at, std::min(last_bound(cluster, job), now));
  if (is_same && known.bound < bound) known.bound_at = now;
  const bool has_hope = job.count(TaskStatus::binding) > 0 || !job.claims.empty();
  if (!is_same || known.bound != bound || known.has_hope) known.hopeless_at = now;
  known.uid = job.uid;
  known.bound = bound;
  known.has_hope = has_hope;
}

void BrokenGangs::stand_by(const Cluster& cluster, const std::vector<JobId>& changed,
                           TimePoint now) {
  for (const JobId id : changed) look(cluster, id, now);
  for (auto& [id, in_part] : in_part_) in_part.has_hope = true;  // by the leader's plan
}

bool BrokenGangs::awaits_a_time() const {
  return std::any_of(in_part_.begin(), in_part_.end(), [&](const auto& entry) {
    return entry.second.has_hope || looked_at_ - entry.second.hopeless_at < patience_;
  });
}

bool BrokenGangs::is_due(const Job& job, const InPart& in_part, TimePoint now) const {
  if (job.count(TaskStatus::binding) > 0) return false;
  const bool is_hopeless = !in_part.has_hope && now - in_part.hopeless_at >= patience_;
  return is_hopeless || now - in_part.bound_at >= patience_ * kOfPlansThatFail;
}

std::vector<TaskId> BrokenGangs::due(const Cluster& cluster, TimePoint now) {
  looked_at_ = now;
  decltype(in_part_) before = std::exchange(in_part_, {});
  for (const JobId id : cluster.open_jobs()) {
    in_part_.insert(before.extract(id));
    look(cluster, id, now);
  }
  std::vector<TaskId> evictions;
  for (const auto& [id, in_part] : in_part_) {
    if (!is_due(cluster.job(id), in_part, now)) continue;
    for (const TaskId task : cluster.job(id).tasks) {
      const TaskStatus status = cluster.task(task).status;
      const bool is_refused = now < cluster.task(task).eviction_refused_until;
      const bool runs = status == TaskStatus::bound || status == TaskStatus::running;
      if (runs && !is_refused && may_leave(cluster, cluster.task(task))) evictions.push_back(task);
    }
  }
  return evictions;
}

}  // namespace berth::daemon
