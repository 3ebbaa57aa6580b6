#include "daemon/dispatcher.h"

#include <algorithm>
#include <utility>

namespace berth::daemon {

Dispatcher::Dispatcher(ports::StatusSink& status, ports::Evictor& evictor, ports::EventSink& events,
                       Tell tell)
    : reporter_(status),
      queue_reporter_(status, tell),
      reservation_reporter_(status),
      target_teller_(status, tell),
      unclaimed_groups_(tell),
      evictor_(evictor),
      events_(events),
      tell_(std::move(tell)) {}

void Dispatcher::set_leading(bool leads) {
  leads_ = leads;
  if (leads) return;
  reservation_reporter_.stop_leading();
  target_teller_.stop_leading();
}

void Dispatcher::carry_out(const Plan& plan, mirror::Mirror& mirror, TimePoint now) {
  const Cluster& cluster = mirror.cluster();
  for (const PlannedEviction& eviction : plan.evictions) {
    const JobId job = eviction.beneficiary;
    const std::string whom = job.is_valid() ? " for " + cluster.job(job).name : "";
    evict(eviction.task, std::string(eviction.action) + whom, cluster);
  }
  for (const EndedClaims& ended : plan.ended_claims) {
    if (!cluster.job(ended.job).claims.empty()) continue;  // it was promised other room at once
    tell_("job " + cluster.job(ended.job).name +
          " keeps no room any more: " + to_string(ended.how));
  }
  report_notes(plan.notes);
  changed_ = mirror.take_changes();
  report_waiting(plan, mirror, now);
  report_placed(plan, mirror);
  report_phases(mirror.take_phase_changes(), mirror);
  report_targets(plan, cluster);
  reporter_.report(
      changed_, [&](JobId id) { return standing(id, cluster); }, mirror, now);
  reservation_reporter_.report(changed_, cluster, now);
  unclaimed_groups_.report(changed_, cluster, now);
  queue_reporter_.report(plan, cluster, now);
}

// What changed now is reported by whoever leads next, should that be us: all jobs are looked at.
void Dispatcher::stand_by(mirror::Mirror& mirror) {
  for (const JobId id : mirror.take_changes()) {
    reporter_.owe(id);
    reservation_reporter_.owe(id);
    unclaimed_groups_.owe(id);
  }
  mirror.take_phase_changes();
}

void Dispatcher::evict(TaskId id, const std::string& reason, const Cluster& cluster) {
  const Task& task = cluster.task(id);
  auto [name_space, name] = split_name(task.name);
  tell_("pod " + task.name + " is asked to leave: " + reason);
  evictor_.evict({std::move(name_space), std::move(name), task.uid, reason},
                 [&events = events_, uid = task.uid](const ports::WriteOutcome& outcome) {
                   if (outcome.result != ports::WriteOutcome::Result::failed) return;
                   events.post(EvictionRefused{uid, outcome.error});
                 });
}

StatusReporter::Standing Dispatcher::standing(JobId id, const Cluster& cluster) const {
  StatusReporter::Standing standing;
  if (const auto said = said_.find(id); said != said_.end()) {
    standing.reason = code(said->second.refusal.reason);
    standing.message = said->second.message;
  }
  standing.targeted = target_teller_.condition_of(cluster.job(id));
  return standing;
}

// Both are sorted.
void Dispatcher::report_notes(const std::vector<std::string>& notes) {
  for (const std::string& note : notes) {
    if (!std::binary_search(notes_.begin(), notes_.end(), note)) tell_("configuration: " + note);
  }
  for (const std::string& note : notes_) {
    if (std::binary_search(notes.begin(), notes.end(), note)) continue;
    tell_("configuration: no longer so: " + note);
  }
  notes_ = notes;
}

// Before anything is written, so that what is told can be compared with what the API says.
void Dispatcher::report_targets(const Plan& plan, const Cluster& cluster) {
  target_teller_.report(plan, cluster, reservation_reporter_);
  for (const Reservation& each : plan.reservations) changed_.push_back(each.job);
  for (const EndedReservation& each : plan.ended) changed_.push_back(each.job);
}

void Dispatcher::report_waiting(const Plan& plan, const mirror::Mirror& mirror, TimePoint now) {
  const Cluster& cluster = mirror.cluster();
  static const std::string no_task;
  constexpr Duration kCalm = std::chrono::seconds(30);
  ++round_;
  for (const Refusal& refusal : plan.refusals) {
    const Job& job = cluster.job(refusal.job);
    const std::string& task = refusal.task.is_valid() ? cluster.task(refusal.task).name : no_task;
    Said& said = said_[refusal.job];
    said.round = round_;
    const bool is_same_job = said.job == job.name && said.job_uid == job.uid;
    if (said.refusal == refusal && is_same_job && said.task == task) continue;
    const bool is_same_reason = is_same_job && said.refusal.reason == refusal.reason;
    said.refusal = refusal;
    said.job = job.name;
    said.job_uid = job.uid;
    said.task = task;
    said.message = refusal.message(task);
    changed_.push_back(refusal.job);
    // The numbers in a message change with everything that comes and goes.
    if (is_same_reason && now - said.told < kCalm) continue;
    said.told = now;
    tell_("job " + job.name + " waits: " + said.message);
  }
  std::erase_if(said_, [&](const auto& entry) {
    if (entry.second.round == round_) return false;
    changed_.push_back(entry.first);
    return true;
  });
}

void Dispatcher::report_placed(const Plan& plan, const mirror::Mirror& mirror) {
  const Cluster& cluster = mirror.cluster();
  std::map<std::string, std::map<std::string, int>> nodes_of_job;
  for (const auto& [task, node] : plan.binds) {
    const JobId job = cluster.task(task).job;
    ++nodes_of_job[cluster.job(job).name][cluster.node(node).name];
  }
  for (const auto& [job, nodes] : nodes_of_job) {
    constexpr std::size_t kShown = 8;
    int pods = 0;
    std::size_t shown = 0;
    std::string where;
    for (const auto& [node, count] : nodes) {
      pods += count;
      if (shown++ < kShown) where += " " + node + " (" + std::to_string(count) + ")";
    }
    if (nodes.size() > kShown) where += " and " + std::to_string(nodes.size() - kShown) + " more";
    tell_("job " + job + " planned: " + std::to_string(pods) + " pods on" + where);
  }
}

void Dispatcher::report_phases(const std::vector<JobId>& changed, const mirror::Mirror& mirror) {
  for (const JobId id : std::set<JobId>(changed.begin(), changed.end())) {
    const Job& job = mirror.cluster().job(id);
    if (!job.exists) continue;
    const std::int32_t running = job.count(TaskStatus::bound) + job.count(TaskStatus::running);
    tell_("job " + job.name + " is " + to_string(job.phase) + ": " + std::to_string(running) +
          " of " + std::to_string(job.task_count()) + " pods run, minimum " +
          std::to_string(job.min_available));
  }
}

}  // namespace berth::daemon
