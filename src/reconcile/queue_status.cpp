#include "reconcile/queue_status.h"

#include <algorithm>

#include "berth/base/printable.h"
#include "berth/model/amount_text.h"

namespace berth::reconcile {

namespace {

using views::QueueTable;

bool holds_alike(const WrittenCondition& left, const WrittenCondition& right) {
  return left.holds == right.holds && left.reason == right.reason;
}

using views::ReservedNodes;

std::string readable(const ReservedNodes::Amount& each, std::int64_t amount, Rounding rounding) {
  return readable_amount(each.resource, amount, rounding);
}

// "n1, n2", or how many they are.
std::string place_of(const std::vector<std::string>& nodes) {
  constexpr std::size_t kNamesMost = 3;
  if (nodes.empty()) return "nodes of queues below it";
  if (nodes.size() > kNamesMost) return "its " + std::to_string(nodes.size()) + " nodes";
  std::string names;
  for (const std::string& node : nodes) names += (names.empty() ? "" : ", ") + node;
  return names;
}

// "12 of 16 cpu, 1Gi of 2Gi memory": what is missing something; all if it is met.
std::string amounts_text(const ReservedNodes& its) {
  std::string text;
  for (const ReservedNodes::Amount& each : its.amounts) {
    if (each.asked == 0 || (!its.is_met && each.missing == 0)) continue;
    text += text.empty() ? "" : ", ";
    if (each.missing > 0) {
      text += readable(each, each.asked - each.missing, Rounding::down) + " of ";
    }
    text += readable(each, each.asked, Rounding::up) + " " + each.resource;
  }
  return text;
}

// Pods of the queue itself change none of it.
std::string reserved_text(const ReservedNodes& its) {
  const std::string amounts = amounts_text(its);
  const bool is_short = !its.is_met && static_cast<std::size_t>(its.asked_nodes) > its.nodes.size();
  if (is_short && (amounts.empty() || !its.lacks.empty())) {
    return std::to_string(its.nodes.size()) + " of " + std::to_string(its.asked_nodes) + " nodes";
  }
  if (!amounts.empty()) return amounts + " idle or used by it on " + place_of(its.nodes);
  return its.is_met ? "it has " + place_of(its.nodes) : "";
}

std::string room_of_others(const ReservedNodes& its) {
  if (!its.in_the_way.empty()) {
    return "the rest is used by other pods, of which some are not evicted: " + its.in_the_way;
  }
  const std::string others = "the rest is used by other pods, which ";
  if (its.evicts) return others + "are evicted (Guaranteed)";
  if (its.is_guaranteed) return others + "finish, and no action evicts them";
  return others + "finish (Best-Effort)";
}

// The room will not come by itself: nothing evicts the pods there, or nothing may.
bool is_blocked(const ReservedNodes& its) {
  if (!its.is_guaranteed || (its.evicts && its.in_the_way.empty())) return false;
  return std::any_of(its.amounts.begin(), its.amounts.end(),
                     [](const auto& each) { return each.missing > each.leaving; });
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

WrittenCondition reserving_of(const QueueTable::Row& row) {
  if (!row.reservation) return {};
  const ReservedNodes& its = *row.reservation;
  std::string message;
  const auto add = [&message](const std::string& text) {
    if (!text.empty()) message += (message.empty() ? "" : "; ") + text;
  };
  const auto has = [&its](std::int64_t ReservedNodes::Amount::*part) {
    return std::any_of(its.amounts.begin(), its.amounts.end(),
                       [part](const auto& each) { return each.*part > 0; });
  };
  using Amount = ReservedNodes::Amount;
  // Nodes of queues below it count as well.
  const bool has_nodes = !its.nodes.empty() || has(&Amount::idle) || has(&Amount::own);
  const bool asks_for_some = its.asked_nodes > 0 || has(&Amount::asked);
  const bool is_short = its.asked_nodes > 0 || !has_nodes || has(&Amount::missing);
  const bool waits = !its.is_met && its.lacks.empty() && asks_for_some && is_short;
  if (waits && !has_nodes) {
    add("its nodes are not chosen yet");
  } else {
    add(reserved_text(its));
    if (waits && has(&Amount::missing)) add(room_of_others(its));
  }
  if (!its.is_met) add(its.lacks);
  add(its.clipped);
  const char* reason = its.is_met                     ? "Met"
                       : !waits                       ? "NotEnoughNodes"
                       : has_nodes && is_blocked(its) ? "Blocked"
                                                      : "Waiting";
  return {its.is_met, reason, std::move(message), {}};
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
    condition.message = printable(condition.message);
    if (!condition.reason.empty()) condition.since = is_as_before ? was.since : now;
    return condition;
  };
  status.ready = with_time(readiness_of(row), before.ready);
  status.scaled = with_time(scaling_of(table, at), before.scaled);
  status.honoured = with_time(honouring_of(row), before.honoured);
  if (row.reservation) {
    status.reserved_nodes = row.reservation->nodes;
    status.reserved_idle = row.reservation->idle();
  }
  status.reserved = with_time(reserving_of(row), before.reserved);
  return status;
}

// STATUS-4
bool is_urgent(const WrittenQueueStatus& wanted, const WrittenQueueStatus& before) {
  return !holds_alike(wanted.ready, before.ready) || wanted.scaled.holds != before.scaled.holds ||
         wanted.honoured.reason.empty() != before.honoured.reason.empty() ||
         !holds_alike(wanted.reserved, before.reserved) ||
         wanted.reserved_nodes != before.reserved_nodes;
}

}  // namespace berth::reconcile
