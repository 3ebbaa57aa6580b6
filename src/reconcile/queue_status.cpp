#include "reconcile/queue_status.h"

#include "berth/base/text.h"

namespace berth::reconcile {

namespace {

using views::QueueTable;

bool holds_alike(const WrittenCondition& left, const WrittenCondition& right) {
  return left.holds == right.holds && left.reason == right.reason;
}

}  // namespace

WrittenCondition readiness_of(const QueueTable::Row& row) {
  if (!row.fault.empty()) return {false, "Faulty", row.fault, {}};
  if (row.state != QueueState::open) {
    return {false, to_string(row.state), "no job is started in a queue that is not open", {}};
  }
  if (!row.closed_above.empty()) {
    return {
        false, "ParentNotOpen", "the queue \"" + row.closed_above + "\" above it is not open", {}};
  }
  if (row.has_children) return {true, "Open", "jobs go to the queues below it", {}};
  return {true, "Open", "", {}};
}

WrittenCondition scaling_of(const QueueTable& table, std::size_t row) {
  if (!table.is_divided) return {false, "NotDivided", "no plugin divides the cluster", {}};
  if (!table.rows[row].is_scaled) return {false, "InForce", "", {}};
  std::string in_force = table.scaled_text(row);
  if (in_force.empty()) in_force = "less than what the queues below it guarantee";
  return {true,
          "Overcommitted",
          "its guarantee and its neighbours' are more than there is; in force: " + in_force,
          {}};
}

WrittenCondition honouring_of(const QueueTable::Row& row) {
  if (row.notes.empty()) return {};
  std::string all;
  for (const std::string& note : row.notes) all += (all.empty() ? "" : "; ") + note;
  return {false, "FieldsNotHonoured", std::move(all), {}};
}

WrittenQueueStatus desired_queue_status(const QueueTable& table, std::size_t at,
                                        const WrittenQueueStatus& before, TimePoint now) {
  const QueueTable::Row& row = table.rows[at];
  WrittenQueueStatus status;
  status.has_state = true;
  std::int32_t* const counts[] = {&status.pending, &status.inqueue, &status.running,
                                  &status.unknown, &status.completed};
  for (std::size_t phase = 0; phase < row.groups.size(); ++phase) {
    *counts[phase] = row.groups[phase];
  }
  status.allocated = table.named(table.allocated, at);
  if (table.is_divided) {
    status.deserved = table.named(table.deserved, at);
    status.guarantee = table.named(table.guarantee, at);
    status.real_capability = table.named(table.real_capability, at);
  }
  const auto with_time = [now](WrittenCondition condition, const WrittenCondition& was) {
    const bool is_as_before = !was.reason.empty() && condition.holds == was.holds;
    if (!condition.reason.empty()) condition.since = is_as_before ? was.since : now;
    return condition;
  };
  status.ready = with_time(readiness_of(row), before.ready);
  status.scaled = with_time(scaling_of(table, at), before.scaled);
  status.honoured = with_time(honouring_of(row), before.honoured);
  return status;
}

// STATUS-4
bool is_urgent(const WrittenQueueStatus& wanted, const WrittenQueueStatus& before) {
  return !holds_alike(wanted.ready, before.ready) || wanted.scaled.holds != before.scaled.holds ||
         wanted.honoured.reason.empty() != before.honoured.reason.empty();
}

}  // namespace berth::reconcile
