#include "reconcile/group_status.h"

#include "berth/base/printable.h"
#include "reconcile/job_order.h"
#include "reconcile/start_moves.h"
#include "reconcile/target_condition.h"

namespace berth::reconcile {

namespace {

constexpr Duration kInterval = std::chrono::seconds(10);
constexpr Duration kIntervalOfAmounts = std::chrono::minutes(1);
constexpr Duration kIntervalOfFollowers = std::chrono::minutes(10);

std::string position_text_of(const Job& job, const Waiting& waiting) {
  return printable(position_text(job.queue_name, waiting.position));
}

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
  if (!waiting.code.empty() && job.api == GroupApi::volcano) {
    status.waiting = {
        waiting.code, job.queue_name, position_text_of(job, waiting), waiting.position, {}};
  }
  if (!job.not_honoured.empty()) {
    status.honoured = {false, "FieldsNotHonoured", printable(not_honoured_text(job)), {}};
  }
  if (job.api == GroupApi::sig) status.scheduled = job.bound_count();
  return status;
}

// KUBEGROUP-5. A group that was scheduled once stays so, as kube-scheduler leaves it. One that
// neither waits nor is scheduled keeps its condition.
ports::GroupStatus kube_status_of(const Job& job, const ports::GroupStatus& wanted,
                                  const ports::GroupStatus& before) {
  ports::GroupStatus status = before;
  status.is_scheduled = wanted.is_scheduled || before.is_scheduled;
  if (status.is_scheduled) {
    status.reason = status.message = {};
  } else if (!wanted.reason.empty()) {
    status.reason = "Unschedulable";
    status.message = wanted.message;
    if (const std::string more = not_honoured_text(job); !more.empty()) {
      status.message += "; " + printable(more);  // EVENT-8
    }
  }
  return status;
}

bool holds_as_before(const WrittenCondition& condition, const WrittenCondition& before) {
  return condition.holds == before.holds && condition.reason.empty() == before.reason.empty();
}

// STATUS-1. The time of a condition moves when the condition begins or ceases to hold.
void keep_times(ports::GroupStatus& status, const ports::GroupStatus& before, TimePoint now) {
  const auto since = [now](bool is_as_before, TimePoint then) { return is_as_before ? then : now; };
  status.scheduled_since =
      since(status.is_scheduled == before.is_scheduled, before.scheduled_since);
  status.waits_since = since(status.reason.empty() == before.reason.empty(), before.waits_since);
  status.targeted.since =
      since(holds_as_before(status.targeted, before.targeted), before.targeted.since);
  if (!status.honoured.reason.empty()) {
    status.honoured.since =
        since(holds_as_before(status.honoured, before.honoured), before.honoured.since);
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

// HINT-6. Its sentence begins alike, whatever kube-scheduler says.
bool is_refusal(const std::string& message) {
  const std::string_view text = pattern(Reason::refused_by_scheduler);
  return message.starts_with(text.substr(0, text.find('{')));
}

bool is_urgent(const ports::GroupStatus& wanted, const ports::GroupStatus& before) {
  return wanted.phase != before.phase || wanted.is_scheduled != before.is_scheduled ||
         wanted.reason != before.reason ||
         is_refusal(wanted.message) != is_refusal(before.message) ||
         wanted.honoured.message != before.honoured.message ||
         wanted.targeted.holds != before.targeted.holds ||
         wanted.targeted.reason != before.targeted.reason;
}

// Jobs that come behind change the text of each job ahead of them, and the place of none.
bool is_same_place(const WrittenWaiting& wanted, const WrittenWaiting& before) {
  WrittenWaiting with_followers = before;
  with_followers.position_text = wanted.position_text;
  with_followers.position.queue_waiting = wanted.position.queue_waiting;
  return before.position.in_queue > 0 && with_followers == wanted;
}

}  // namespace

std::string message_of(const Job& job, const Waiting& waiting) {
  return with_position(waiting.message, position_text_of(job, waiting));
}

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
  if (!status.waiting.reason.empty()) {
    const WrittenStart& start = waiting.start.value_or(before.waiting.start);
    const bool moves = is_moved(start, before.waiting.start, now);
    status.waiting.start = moves ? start : before.waiting.start;
  }
  desired.is_provisional = is_young(job, now) && waiting.code == code(Reason::too_few_tasks);
  if (desired.is_provisional) {
    status.reason = status.message = {};
    status.waiting = {};
  }
  if (is_of_kubernetes(job.api)) {
    status = kube_status_of(job, status, before);
    keep_times(status, before, now);
    return desired;
  }
  status.targeted = targeted.value_or(before.targeted.reason == kNotAllowed ? no_name_condition()
                                                                            : before.targeted);
  status.targeted.message = printable(status.targeted.message);
  keep_times(status, before, now);
  if (job.api == GroupApi::sig && status.phase != GroupPhase::pending) {
    status.started = before.started.value_or(now);
  }
  return desired;
}

bool is_in_texts_alone(const ports::GroupStatus& wanted, const ports::GroupStatus& before) {
  if (wanted.message == before.message && wanted.waiting == before.waiting) return false;
  ports::GroupStatus with_texts = before;
  with_texts.message = wanted.message;
  with_texts.waiting = wanted.waiting;
  return with_texts == wanted;
}

bool is_left_of(const WrittenWaiting& written, const WrittenWaiting& left) {
  return left.reason.empty() && !left.position_text.empty() &&
         left.position_text == written.position_text;
}

// STATUS-2
Duration least_interval(const ports::GroupStatus& wanted, const ports::GroupStatus& before) {
  if (is_urgent(wanted, before)) return Duration();
  if (is_in_texts_alone(wanted, before) && wanted.message == before.message &&
      is_same_place(wanted.waiting, before.waiting)) {
    return kIntervalOfFollowers;
  }
  const bool is_same_but_amounts =
      is_in_texts_alone(wanted, before) &&
      without_brackets(wanted.message) == without_brackets(before.message);
  return is_same_but_amounts ? kIntervalOfAmounts : kInterval;
}

// STATUS-3
bool is_written_alike(ports::ObjectKind kind, ports::GroupStatus wanted,
                      const ports::GroupStatus& before) {
  if (kind != ports::ObjectKind::sig_pod_group) return wanted == before;
  wanted.is_scheduled = before.is_scheduled;
  wanted.scheduled_since = before.scheduled_since;
  wanted.waits_since = before.waits_since;
  wanted.reason = before.reason;
  wanted.message = before.message;
  wanted.waiting = before.waiting;
  wanted.targeted = before.targeted;
  wanted.honoured = before.honoured;
  return wanted == before;
}

}  // namespace berth::reconcile
