#include "daemon/status_reporter.h"

#include <algorithm>

namespace berth::daemon {

namespace {

constexpr Duration kCalm = std::chrono::seconds(10);
constexpr Duration kAmountsCalm = std::chrono::minutes(1);

// The words that Volcano's users and tools look for; ours stand in the message.
std::string volcano_reason(const std::string& code_of_ours) {
  if (code_of_ours.empty()) return {};
  if (code_of_ours == code(Reason::too_few_tasks)) return "NotEnoughTasks";
  if (code_of_ours == code(Reason::too_few_tasks_of_role)) return "NotEnoughPodsOfTask";
  return "NotEnoughResources";
}

ports::GroupStatus status_of(const Job& job, const StatusReporter::Standing& standing) {
  ports::GroupStatus status;
  std::tie(status.name_space, status.name) = split_name(job.name);
  status.uid = job.uid;
  status.phase = job.phase;
  status.running = job.count(TaskStatus::running);
  status.succeeded = job.count(TaskStatus::succeeded);
  status.failed = job.count(TaskStatus::failed);
  status.min_member = job.min_available;
  status.is_scheduled = job.bound_count() >= job.min_available;
  status.reason = volcano_reason(standing.reason);
  status.message = standing.message;
  status.is_volcano = job.is_volcano;
  if (!job.not_honoured.empty()) {
    status.honoured = {false, "FieldsNotHonoured", not_honoured_text(job), {}};
  }
  if (!job.is_volcano) status.scheduled = job.bound_count();
  return status;
}

// What the API says of a group.
ports::GroupStatus known_status(const PodGroupObject& group) {
  ports::GroupStatus status;
  status.name_space = group.name_space;
  status.name = group.name;
  status.uid = group.uid;
  status.phase = group.phase;
  status.min_member = group.min_member;
  status.running = group.written.running;
  status.succeeded = group.written.succeeded;
  status.failed = group.written.failed;
  status.is_scheduled = group.written.is_scheduled;
  status.scheduled_since = group.written.scheduled_since;
  status.waits_since = group.written.waits_since;
  status.reason = group.written.reason;
  status.message = group.written.message;
  status.targeted = group.written.targeted;
  status.honoured = group.written.honoured;
  status.is_volcano = group.is_volcano;
  status.started = group.started;
  return status;
}

// A status of scheduling.x-k8s.io has no place for why the group waits: that is told as an event.
bool is_written_alike(ports::GroupStatus status, const ports::GroupStatus& before) {
  if (status.is_volcano) return status == before;
  status.is_scheduled = before.is_scheduled;
  status.scheduled_since = before.scheduled_since;
  status.waits_since = before.waits_since;
  status.reason = before.reason;
  status.message = before.message;
  status.targeted = before.targeted;
  status.honoured = before.honoured;
  return status == before;
}

// The condition holds, or does not, since before.
bool is_same_turn(const WrittenCondition& condition, const WrittenCondition& before) {
  return condition.holds == before.holds && condition.reason.empty() == before.reason.empty();
}

bool is_urgent(const ports::GroupStatus& status, const ports::GroupStatus& before) {
  return status.phase != before.phase || status.is_scheduled != before.is_scheduled ||
         status.reason != before.reason || status.uid != before.uid ||
         status.honoured.message != before.honoured.message ||
         status.targeted.holds != before.targeted.holds ||
         status.targeted.reason != before.targeted.reason;
}

// Amounts and causes stand in brackets.
std::string without_brackets(const std::string& message) {
  std::string text;
  int depth = 0;
  for (const char c : message) {
    depth += c == '(' ? 1 : 0;
    if (depth == 0) text += c;
    depth -= c == ')' && depth > 0 ? 1 : 0;
  }
  return text;
}

// On a busy cluster, idle amounts are others in each session: not each is worth a write.
Duration calm_for(const ports::GroupStatus& status, ports::GroupStatus before) {
  const bool is_same_but_amounts =
      status.message != before.message &&
      without_brackets(status.message) == without_brackets(before.message);
  before.message = status.message;
  return is_same_but_amounts && status == before ? kAmountsCalm : kCalm;
}

}  // namespace

void StatusReporter::observe(const ClusterEvent& event, bool leads) {
  if (const auto* group = std::get_if<PodGroupObject>(&event)) {
    const auto [entry, is_new] = known_.try_emplace(group->full_name());
    Known& known = entry->second;
    if (leads && !is_new && known.is_ours && known.status.uid == group->uid) return;
    known = {known_status(*group), TimePoint()};
  } else if (const auto* gone = std::get_if<PodGroupDeleted>(&event)) {
    known_.erase(gone->full_name);
  } else if (const auto* pod = std::get_if<PodDeleted>(&event)) {
    told_singles_.erase(pod->uid);
  }
}

void StatusReporter::report(const std::vector<JobId>& changed, const StandingOf& standing_of,
                            const mirror::Mirror& mirror, TimePoint now) {
  const Cluster& cluster = mirror.cluster();
  owed_.insert(changed.begin(), changed.end());
  std::erase_if(owed_, [&](JobId id) {
    const Job& job = cluster.job(id);
    return !job.exists || !job.has_group || report_job(job, standing_of(id), now);
  });
}

// True when nothing is owed for the job any more.
bool StatusReporter::report_job(const Job& job, const Standing& standing, TimePoint now) {
  ports::GroupStatus status = status_of(job, standing);
  // Its creation time is of the API server's clock, which may be ahead of ours.
  const bool is_young = now - job.created < kCalm && job.created - now < kCalm;
  if (job.is_single) {
    if (is_young && !standing.reason.empty()) return false;
    tell(job, status, nullptr);
    return true;
  }
  const auto found = known_.find(job.name);
  if (found == known_.end()) return true;  // its object is gone
  Known& known = found->second;
  known.is_ours = job.is_ours();
  if (!known.is_ours) return true;
  const ports::GroupStatus& before = known.status;
  // Its pods are only coming, or are made when the phase says that it is in: that is written now.
  const bool is_early = is_young && standing.reason == code(Reason::too_few_tasks);
  if (is_early && status.phase == before.phase) return false;
  if (is_early) status.reason = status.message = {};
  const auto since = [now](bool is_as_before, TimePoint then) { return is_as_before ? then : now; };
  status.scheduled_since =
      since(status.is_scheduled == before.is_scheduled, before.scheduled_since);
  status.waits_since = since(status.reason.empty() == before.reason.empty(), before.waits_since);
  status.targeted = standing.targeted.value_or(before.targeted);
  status.targeted.since =
      since(is_same_turn(status.targeted, before.targeted), before.targeted.since);
  if (!status.honoured.reason.empty()) {
    status.honoured.since =
        since(is_same_turn(status.honoured, before.honoured), before.honoured.since);
  }
  if (!status.is_volcano && status.phase != GroupPhase::pending) {
    status.started = before.started.value_or(now);
  }
  if (status == known.status) return true;
  if (!is_urgent(status, known.status) && now - known.at < calm_for(status, known.status)) {
    return false;
  }
  if (!is_written_alike(status, known.status)) sink_.write(status);
  tell(job, status, &known.status);
  known = {status, now, true};
  return !is_early;
}

void StatusReporter::tell(const Job& job, const ports::GroupStatus& status,
                          const ports::GroupStatus* before) {
  ports::Event event;
  std::tie(event.name_space, event.name) = split_name(job.name);
  event.uid = job.uid;
  event.is_volcano = job.is_volcano;
  if (job.is_single) {  // that it was placed, kube-scheduler says
    event.about = ports::Event::About::pod;
    const auto told = told_singles_.find(job.uid);
    const std::string before_this = told == told_singles_.end() ? "" : told->second;
    if (before_this == status.reason) return;
    if (status.reason.empty()) {
      told_singles_.erase(told);
      return;
    }
    told_singles_[job.uid] = status.reason;
  }
  if (before != nullptr && !status.honoured.reason.empty() &&
      status.honoured.message != before->honoured.message) {
    event.is_warning = true;
    event.reason = status.honoured.reason;
    event.message = status.honoured.message;
    sink_.tell(event);
    event.is_warning = false;
  }
  const bool waits = !status.reason.empty();
  if (waits && (before == nullptr || before->reason != status.reason)) {
    event.is_warning = true;
    event.reason = "Unschedulable";
    event.message = status.message;
    sink_.tell(event);
  } else if (before != nullptr && status.is_scheduled && !before->is_scheduled) {
    event.reason = "Scheduled";
    event.message = "the minimum of " + std::to_string(job.min_available) + " pods is bound";
    sink_.tell(event);
  }
}

}  // namespace berth::daemon
