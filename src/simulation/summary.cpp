#include "simulation/summary.h"

#include <set>

#include "berth/model/dimensions.h"

namespace berth::simulation {

namespace {

bool has_started(const JobRow& job) { return job.placed > 0 && job.placed >= job.min_available; }

std::int32_t part_of(__int128 some, __int128 whole) {
  return whole == 0 ? 0 : static_cast<std::int32_t>(some * Summary::kWhole / whole);
}

}  // namespace

void SummaryBuilder::add(CycleReport& cycle, const Plan& plan, const Cluster& after) {
  ++cycles_;
  end_ = cycle.now + period_;
  held_.note_ends(plan, after);
  held_.note(cycle.reservations);
  std::set<std::string_view> placed;
  for (const PlacementRow& bind : cycle.binds) placed.insert(bind.job);
  for (const JobRow& job : cycle.jobs) add_job(job, cycle, placed.contains(job.job));
  note_targets(cycle);
  note_work(plan, after, cycle.now);
  const NamedAmounts used = to_named(after.dimensions(), after.total_used());
  for (const auto& [resource, total] : to_named(after.dimensions(), after.total_allocatable())) {
    const auto found = used.find(resource);
    use_[resource].total += total;
    use_[resource].used += found == used.end() ? 0 : found->second;
    const auto idle = cycle.queues.idle.find(resource);
    if (idle != cycle.queues.idle.end()) useless_[resource] += idle->second.useless;
  }
}

// A pod counts from when it got its node, also if that was before the first cycle.
void SummaryBuilder::note_work(const Plan& plan, const Cluster& after, TimePoint now) {
  const auto note_time_before = [&](const Task& task) {
    if (task.scheduled_at <= last_) return;
    views::add(done_, request_of(after.dimensions(), after.shape(task.shape)),
               views::age_of(task.scheduled_at, now));
  };
  Resources all;
  for (std::size_t j = 0; j < after.job_slots(); ++j) {
    const Job& job = after.job(JobId(j));
    if (!job.exists || !job.is_ours()) continue;
    all += job.allocated;
    for (const TaskId id : job.tasks) {
      if (is_allocated(after.task(id).status)) note_time_before(after.task(id));
    }
  }
  views::add(done_, to_named(after.dimensions(), all), period_);
  for (const PlannedEviction& eviction : plan.evictions) {
    const Task& victim = after.task(eviction.task);
    note_time_before(victim);
    const Duration age = views::age_of(victim.scheduled_at, now);
    views::add(lost_, request_of(after.dimensions(), after.shape(victim.shape)), age);
    views::count(evicted_, age);
  }
  last_ = now;
}

void SummaryBuilder::note_targets(const CycleReport& cycle) {
  for (const EndedRow& ended : cycle.ended) {
    const auto wait = waits_.find(ended.job);
    if (wait != waits_.end()) wait->second.ended = ended.how;
  }
  for (const views::ReservationTable::Row& row : cycle.reservations.rows) {
    WaitRow& wait = waits_.at(row.job);
    wait.ended.clear();
    if (!wait.elected) wait.elected = cycle.cycle;
  }
}

void SummaryBuilder::add_job(const JobRow& job, const CycleReport& cycle, bool is_placed_now) {
  const auto [entry, is_new] = waits_.try_emplace(job.job);
  WaitRow& wait = entry->second;
  if (is_new) {
    wait.job = job.job;
    wait.first_seen = job.first_seen;
    // A job that ran before the first cycle has an unknown waiting time.
    wait.is_known = !has_started(job) || is_placed_now;
  }
  if (wait.started) return;
  if (has_started(job)) {
    wait.started = cycle.cycle;
    wait.time = cycle.now - wait.first_seen;
  } else {
    ++wait.cycles;
  }
}

Summary SummaryBuilder::finish() {
  Summary summary;
  summary.cycles = cycles_;
  held_.pause(end_);
  summary.held = held_.total();
  for (auto& [job, wait] : waits_) {
    if (!wait.is_known) continue;
    if (!wait.started) wait.time = end_ - wait.first_seen;
    summary.waits.push_back(wait);
  }
  for (const auto& [resource, use] : use_) {
    summary.utilisation[resource] = part_of(use.used, use.total);
    summary.lost_work[resource] = part_of(lost_[resource], done_[resource]);
  }
  for (const auto& [resource, sum] : useless_) {
    summary.useless[resource] = part_of(sum, use_.at(resource).total);
  }
  summary.evicted = evicted_;
  return summary;
}

}  // namespace berth::simulation
