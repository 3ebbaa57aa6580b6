#include "reconcile/announcer.h"

#include <algorithm>
#include <set>
#include <utility>

#include "reconcile/reservation_marks.h"
#include "reconcile/target_condition.h"

namespace berth::reconcile {

std::vector<JobId> Announcer::announce(const Plan& plan, const Cluster& cluster, TimePoint now) {
  announce_notes(plan.notes);
  std::vector<JobId> changed = waiting_.refresh(plan, cluster, now);
  announce_placed(plan, cluster);
  announce_ended_claims(plan, cluster);
  targets_.publish(plan, cluster, now);
  evictions_.log_considered(plan, cluster, now);
  for (const Reservation& each : plan.reservations) changed.push_back(each.job);
  for (const EndedReservation& each : plan.ended) changed.push_back(each.job);
  return changed;
}

// Both are sorted.
void Announcer::announce_notes(const std::vector<std::string>& notes) {
  for (const std::string& note : notes) {
    if (std::binary_search(notes_.begin(), notes_.end(), note)) continue;
    events_.log("configuration: " + note);
  }
  for (const std::string& note : notes_) {
    if (std::binary_search(notes.begin(), notes.end(), note)) continue;
    events_.log("configuration: no longer so: " + note);
  }
  notes_ = notes;
}

void Announcer::announce_placed(const Plan& plan, const Cluster& cluster) {
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
    events_.log("job " + job + " planned: " + std::to_string(pods) + " pods on" + where);
  }
}

void Announcer::announce_ended_claims(const Plan& plan, const Cluster& cluster) {
  for (const EndedClaims& ended : plan.ended_claims) {
    const Job& job = cluster.job(ended.job);
    if (!job.claims.empty()) continue;  // it was promised other room at once
    events_.log("job " + job.name + " keeps no room any more: " + to_string(ended.how));
  }
}

void Announcer::announce_phases(const std::vector<JobId>& changed, const Cluster& cluster) {
  for (const JobId id : std::set<JobId>(changed.begin(), changed.end())) {
    const Job& job = cluster.job(id);
    if (!job.exists) continue;
    const std::int32_t running = job.count(TaskStatus::bound) + job.count(TaskStatus::running);
    events_.log("job " + job.name + " is " + to_string(job.phase) + ": " + std::to_string(running) +
                " of " + std::to_string(job.task_count()) + " pods run, minimum " +
                std::to_string(job.min_available));
  }
}

void Announcer::announce_status(const Job& job, const ports::GroupStatus& before,
                                const ports::GroupStatus& after, TimePoint now) {
  if (!after.honoured.reason.empty() && after.honoured.message != before.honoured.message) {
    events_.publish(ref_of(job), {true, after.honoured.reason, after.honoured.message}, now);
  }
  if (after.targeted.reason == kNotAllowed && after.targeted.message != before.targeted.message) {
    events_.publish(ref_of(job), {true, "TargetNotAllowed", after.targeted.message}, now);
  }
  if (!after.reason.empty() && before.reason != after.reason) {
    const std::string message = with_position(after.message, after.waiting.position_text);
    events_.publish(ref_of(job), {true, "Unschedulable", message}, now);
  } else if (after.is_scheduled && !before.is_scheduled) {
    events_.publish(ref_of(job),
                    {false, "Scheduled",
                     "the minimum of " + std::to_string(job.min_available) + " pods is bound"},
                    now);
  }
}

void Announcer::announce_broken_promise(const Job& job, const std::string& message, TimePoint now) {
  events_.log("job " + job.name + " " + message);
  if (job.has_group) events_.publish(ref_of(job), {true, "StartDelayed", message}, now);
}

void Announcer::announce_reserved(const ports::ObjectRef& queue, const WrittenCondition& before,
                                  const WrittenCondition& after, TimePoint now) {
  const bool is_as_before = !before.reason.empty() && before.holds == after.holds;
  if (after.reason.empty() || is_as_before) return;
  const char* reason = after.holds ? "NodesReserved" : "NodesNotReserved";
  events_.publish(queue, {!after.holds, reason, after.message}, now);
}

void Announcer::announce_refused_name(const Job& job, TimePoint now) {
  if (job.target_refused.empty()) return void(refused_names_.erase(job.uid));
  std::string& last = refused_names_[job.uid];
  if (std::exchange(last, job.target_refused) == job.target_refused) return;
  events_.publish(ref_of(job), {true, "TargetNotAllowed", refused_name_condition(job).message},
                  now);
}

}  // namespace berth::reconcile
