#include <algorithm>
#include <utility>

#include "berth/base/later.h"
#include "berth/base/look_up.h"
#include "mirror/mirror.h"

// The terms of users and of the API server on the eviction of a pod.

namespace berth::mirror {

// EVICT-6. Does the job of a pod that stays lack its minimum, since others of it leave?
bool Mirror::has_lost_others(TaskId id) const {
  const JobId job = cluster_.task(id).job;
  return job.is_valid() && cluster_.job(job).has_group && !cluster_.job(job).is_single &&
         cluster_.job(job).placed_count() < cluster_.job(job).min_available;
}

// EVICT-3
void Mirror::settle_refusals(TimePoint now) {
  constexpr Duration kFirst = std::chrono::minutes(1);
  constexpr std::int32_t kDoublings = 4;
  for (auto next = refusals_.begin(); next != refusals_.end();) {
    const auto entry = next++;
    auto& [id, refusal] = *entry;
    if (std::exchange(refusal.is_new, false)) {
      const bool is_longer = refusal.was_whole && has_lost_others(id);
      const Duration first = is_longer ? kFirst * (1 << kDoublings) : kFirst;
      const TimePoint until = now + first * (1 << std::min(refusal.times++, kDoublings));
      refusal.remembered_until = until + first * (1 << kDoublings);
      cluster_.mutable_task(id).eviction_refused_until = until;
    } else if (now >= refusal.remembered_until) {
      cluster_.mutable_task(id).eviction_refused_until = TimePoint::min();
      refusals_.erase(entry);
    }
  }
}

const std::string* Mirror::eviction_refusal(TaskId id) const {
  const auto found = refusals_.find(id);
  return found == refusals_.end() ? nullptr : &found->second.words;
}

void Mirror::note_terms(TaskId id, JobId job, const EvictionTerms& terms) {
  put_or_erase(terms_, id, terms, !terms.are_empty());
  if (!terms.are_empty() && job.is_valid()) jobs_with_terms_.insert(job);
}

void Mirror::settle_terms(JobId id, TimePoint now, std::string& refused) {
  if (!jobs_with_terms_.contains(id)) return;
  const Job& job = cluster_.job(id);
  EvictionTerms of_group;
  if (const auto group = groups_.find(job.name); !job.is_single && group != groups_.end()) {
    of_group = group->second.object.eviction;
  }
  bool has_terms = !of_group.are_empty();
  const bool do_count = may_protect(id, now, refused);
  for (const TaskId id_of_task : job.tasks) {
    EvictionTerms terms = of_group;  // TERM-1, TERM-2
    if (const auto own = terms_.find(id_of_task); own != terms_.end()) {
      has_terms = true;
      if (own->second.preemptable) terms.preemptable = own->second.preemptable;
      if (own->second.cooldown) terms.cooldown = own->second.cooldown;
    }
    if (!do_count) terms = {};
    const Task& task = cluster_.task(id_of_task);
    TimePoint until = TimePoint::min();
    if (terms.cooldown && is_on_its_node(task.status))
      until = later(task.scheduled_at, *terms.cooldown);
    const bool is_preemptable = terms.preemptable.value_or(true);
    const bool cools_down = terms.cooldown.value_or(Duration::zero()) > Duration::zero();
    if (task.is_preemptable == is_preemptable && task.cooldown_until == until &&
        task.cools_down == cools_down) {
      continue;
    }
    Task& changed = cluster_.mutable_task(id_of_task);
    changed.is_preemptable = is_preemptable;
    changed.cooldown_until = until;
    changed.cools_down = cools_down;
  }
  if (!has_terms) jobs_with_terms_.erase(id);
}

// LIMIT-1
void Mirror::note_eviction(TaskId id, TimePoint now) {
  const JobId job = cluster_.task(id).job;
  cluster_.mutable_recent_evictions().add(now, cluster_.queue_of(job));
  if (const auto found = evictions_.find(id); found != evictions_.end()) {
    found->second.is_counted = true;
  }
}

void Mirror::take_back_eviction(TaskId id) {
  const Eviction& eviction = evictions_.at(id);
  const JobId job = cluster_.task(id).job;
  if (!eviction.is_counted) return;  // its gang was given up
  cluster_.mutable_recent_evictions().take_back(eviction.at, cluster_.queue_of(job));
}

void Mirror::forget_recent_evictions(TimePoint now) {
  const auto& entries = cluster_.recent_evictions().entries();
  const bool are_in_force = std::all_of(entries.begin(), entries.end(), [now](const auto& each) {
    return RecentEvictions::counts(each, now);
  });
  if (!are_in_force) cluster_.mutable_recent_evictions().forget_what_is_over(now);
}

// LIMIT-7. Another berthd may have evicted them.
void Mirror::count_leaving_pods(TimePoint now) {
  cluster_.mutable_recent_evictions().clear();
  for (std::size_t t = 0; t < cluster_.task_slots(); ++t) {
    const Task& task = cluster_.task(TaskId(t));
    if (task.status == TaskStatus::releasing && task.job.is_valid()) note_eviction(TaskId(t), now);
  }
}

void Mirror::on(const BudgetObject& object) {
  const auto known = cluster_.budgets().find(object.full_name());
  if (known != cluster_.budgets().end() && known->second == object) return;
  cluster_.mutable_budgets().insert_or_assign(object.full_name(), object);
}

void Mirror::on(const BudgetDeleted& deleted) {
  if (!cluster_.budgets().contains(deleted.full_name)) return;
  cluster_.mutable_budgets().erase(deleted.full_name);
}

}  // namespace berth::mirror
