#include "reconcile/group_status.h"

namespace berth::reconcile {

namespace {

constexpr Duration kInterval = std::chrono::seconds(10);
constexpr Duration kIntervalOfAmounts = std::chrono::minutes(1);

ports::GroupStatus status_of(const Job& job, const Waiting& waiting) {
  ports::GroupStatus status;
  status.phase = job.phase;
  status.running = job.count(TaskStatus::running);
  status.succeeded = job.count(TaskStatus::succeeded);
  status.failed = job.count(TaskStatus::failed);
  status.min_member = job.min_available;
  status.is_scheduled = job.bound_count() >= job.min_available;
  status.reason = volcano_reason(waiting.code);
  status.message = waiting.message;
  if (!job.not_honoured.empty()) {
    status.honoured = {false, "FieldsNotHonoured", not_honoured_text(job), {}};
  }
  if (!job.is_volcano) status.scheduled = job.bound_count();
  return status;
}

bool holds_alike(const WrittenCondition& condition, const WrittenCondition& before) {
  return condition.holds == before.holds && condition.reason.empty() == before.reason.empty();
}

// STATUS-1. The time of a condition moves when the condition begins or ceases to hold.
void keep_times(ports::GroupStatus& status, const ports::GroupStatus& before, TimePoint now) {
  const auto since = [now](bool is_as_before, TimePoint then) { return is_as_before ? then : now; };
  status.scheduled_since =
      since(status.is_scheduled == before.is_scheduled, before.scheduled_since);
  status.waits_since = since(status.reason.empty() == before.reason.empty(), before.waits_since);
  status.targeted.since =
      since(holds_alike(status.targeted, before.targeted), before.targeted.since);
  if (!status.honoured.reason.empty()) {
    status.honoured.since =
        since(holds_alike(status.honoured, before.honoured), before.honoured.since);
  }
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

bool is_urgent(const ports::GroupStatus& wanted, const ports::GroupStatus& before) {
  return wanted.phase != before.phase || wanted.is_scheduled != before.is_scheduled ||
         wanted.reason != before.reason || wanted.honoured.message != before.honoured.message ||
         wanted.targeted.holds != before.targeted.holds ||
         wanted.targeted.reason != before.targeted.reason;
}

}  // namespace

std::string volcano_reason(const std::string& code_of_ours) {
  if (code_of_ours.empty()) return {};
  if (code_of_ours == code(Reason::too_few_tasks)) return "NotEnoughTasks";
  if (code_of_ours == code(Reason::too_few_tasks_of_role)) return "NotEnoughPodsOfTask";
  return "NotEnoughResources";
}

bool is_young(const Job& job, TimePoint now) {
  return now - job.created < kInterval && job.created - now < kInterval;
}

DesiredGroupStatus desired_group_status(const Job& job, const Waiting& waiting,
                                        const std::optional<WrittenCondition>& targeted,
                                        const ports::GroupStatus& before, TimePoint now) {
  DesiredGroupStatus desired{status_of(job, waiting)};
  ports::GroupStatus& status = desired.status;
  // Its pods are only coming. Some controllers make them when the phase is Inqueue, so the phase is
  // written.
  desired.is_provisional = is_young(job, now) && waiting.code == code(Reason::too_few_tasks);
  if (desired.is_provisional) status.reason = status.message = {};
  status.targeted = targeted.value_or(before.targeted);
  keep_times(status, before, now);
  if (!job.is_volcano && status.phase != GroupPhase::pending) {
    status.started = before.started.value_or(now);
  }
  return desired;
}

// STATUS-2
Duration least_interval(const ports::GroupStatus& wanted, const ports::GroupStatus& before) {
  if (is_urgent(wanted, before)) return Duration();
  ports::GroupStatus with_message = before;
  with_message.message = wanted.message;
  const bool is_same_but_amounts =
      wanted.message != before.message &&
      without_brackets(wanted.message) == without_brackets(before.message);
  return is_same_but_amounts && wanted == with_message ? kIntervalOfAmounts : kInterval;
}

// STATUS-3
bool is_written_alike(ports::ObjectKind kind, ports::GroupStatus wanted,
                      const ports::GroupStatus& before) {
  if (kind == ports::ObjectKind::pod_group) return wanted == before;
  wanted.is_scheduled = before.is_scheduled;
  wanted.scheduled_since = before.scheduled_since;
  wanted.waits_since = before.waits_since;
  wanted.reason = before.reason;
  wanted.message = before.message;
  wanted.targeted = before.targeted;
  wanted.honoured = before.honoured;
  return wanted == before;
}

}  // namespace berth::reconcile
