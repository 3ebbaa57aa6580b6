#include "berth/model/reason.h"

#include <array>

#include "berth/model/amount_text.h"

namespace berth {

namespace {

struct Row {
  Reason reason;
  std::string_view code;
  std::string_view sentence;
};

constexpr std::array<Row, kReasonCount> kRows{{
    {Reason::none, "none", "nothing stands in the way"},
    {Reason::group_missing, "group_missing",
     "its pods name pod group \"{what}\", which does not exist"},
    {Reason::group_faulty, "group_faulty", "its pod group cannot be read: {what}"},
    {Reason::pod_faulty, "pod_faulty", "one of its pods cannot be read: {what}"},
    {Reason::queue_missing, "queue_missing", "queue \"{what}\" does not exist"},
    {Reason::queue_closed, "queue_closed", "queue \"{what}\" is not open"},
    {Reason::queue_faulty, "queue_faulty", "its queue is set up wrongly: {what}"},
    {Reason::queue_has_children, "queue_has_children",
     "queue \"{what}\" has queues below it; jobs belong in one of those"},
    {Reason::too_few_tasks, "too_few_tasks", "it has {have} pods and needs at least {need}"},
    {Reason::too_few_tasks_of_role, "too_few_tasks_of_role",
     "it has {have} pods of role \"{what}\" and needs at least {need}"},
    {Reason::cluster_overcommitted, "cluster_overcommitted",
     "admitting it would need {need} {what}, and {have} may still be admitted"},
    {Reason::queue_capability, "queue_capability",
     "it would need {need} {what}, and its queue may use {have} more"},
    {Reason::queue_share_used, "queue_share_used",
     "its queue has {have} {what}, and its share is {need}"},
    {Reason::guarantees_kept, "guarantees_kept",
     "it would need {need} {what}, and {have} are not kept for other queues' guarantees"},
    {Reason::gave_way, "gave_way",
     "its admission was withdrawn: it found no place in time, and other jobs wait"},
    {Reason::gated, "gated", "{have} of its pods have scheduling gates of others"},
    {Reason::gang_incomplete, "gang_incomplete", "{have} of {need} members could be placed"},
    {Reason::role_incomplete, "role_incomplete",
     "{have} of {need} members of role \"{what}\" could be placed"},
    {Reason::surplus_waits, "surplus_waits",
     "its minimum is placed; {need} other pods wait for room"},
    {Reason::holds_releasing_room, "holds_releasing_room",
     "{have} of {need} members hold idle room; the others wait for room that is being vacated"},
    {Reason::not_reached, "not_reached", "no action considered it"},
    {Reason::larger_than_cluster, "larger_than_cluster",
     "its minimum needs {need} {what}, and the whole cluster can give it at most {have}"},
    {Reason::fits_no_node, "fits_no_node",
     "no node can take its pod {what}, even if all other pods finish"},
    {Reason::unknown_resource, "unknown_resource", "no node has {what}"},
    {Reason::pod_too_large, "pod_too_large",
     "one of its pods needs {need} {what}, and no node can give it more than {have}"},
    {Reason::queue_too_small, "queue_too_small",
     "its minimum needs {need} {what}, and its queue can have at most {have}"},
    {Reason::behind_in_queue, "behind_in_queue",
     "its queue starts jobs in their order, and {what} is before it"},
    {Reason::not_packable, "not_packable",
     "the nodes can take {have} of {need} members, even if all other pods finish"},
    {Reason::target_given_up, "target_given_up",
     "nodes were kept for it, but it did not start within {what}"},
    {Reason::needs_too_many_nodes, "needs_too_many_nodes",
     "it would need {need} nodes for itself, and only {have} may be locked"},
    {Reason::too_many_targets, "too_many_targets",
     "{need} targets are allowed at a time, and {have} come before it"},
    {Reason::insufficient_resource, "insufficient_resource", "insufficient {what}"},
    {Reason::node_unschedulable, "node_unschedulable", "unschedulable"},
    {Reason::taint_not_tolerated, "taint_not_tolerated", "taint {what} not tolerated"},
    {Reason::node_selector_mismatch, "node_selector_mismatch", "node selector does not match"},
    {Reason::node_affinity_mismatch, "node_affinity_mismatch", "node affinity does not match"},
    {Reason::host_port_taken, "host_port_taken", "a host port is taken"},
    {Reason::vetoed, "vetoed", "recently ruled out by kube-scheduler ({what})"},
    {Reason::node_locked, "node_locked", "locked for target {what}"},
    {Reason::node_of_queue, "node_of_queue", "kept for queue {what}"},
    {Reason::system_critical, "system_critical", "it is critical to the system"},
    {Reason::not_preemptable, "not_preemptable", "its user lets nobody evict it"},
    {Reason::cooling_down, "cooling_down", "it started a short while ago, and has a cooldown time"},
    {Reason::eviction_refused, "eviction_refused", "the API server has just refused to evict it"},
    {Reason::budget_exhausted, "budget_exhausted",
     "its disruption budget {what} allows {have} disruptions"},
    {Reason::several_budgets, "several_budgets",
     "it has {have} disruption budgets, and the API server evicts no pod of more than one"},
    {Reason::gang_minimum, "gang_minimum", "its job runs {have} members and needs {need}"},
    {Reason::in_flight, "in_flight", "other pods of its job are being placed"},
    {Reason::node_is_kept, "node_is_kept", "its node is locked for {what}"},
    {Reason::not_lower, "not_lower", "its job has no lower priority, and no surplus to lend"},
    {Reason::queue_keeps_jobs, "queue_keeps_jobs",
     "its queue is not reclaimable, and its job has no surplus to lend"},
    {Reason::queue_within_share, "queue_within_share",
     "its queue has no more than its share of what is needed"},
    {Reason::queue_guarantee, "queue_guarantee", "its queue would have less than its guarantee"},
    {Reason::never_preempts, "never_preempts", "its preemptionPolicy is Never"},
    {Reason::nobody_may_leave, "nobody_may_leave", "no pod may be evicted for it"},
    {Reason::not_enough_leave, "not_enough_leave",
     "{have} of {need} members could be placed if others are evicted"},
    {Reason::not_entitled, "not_entitled",
     "its queue would have {have} {what} with it, and its share or guarantee is {need}"},
    {Reason::claims_ended_lately, "claims_ended_lately",
     "the last room that others left for it was not vacated in time"},
    {Reason::not_managed, "not_managed", "another scheduler manages it"},
}};

constexpr bool rows_are_in_order() {
  for (std::size_t i = 0; i < kRows.size(); ++i) {
    if (static_cast<std::size_t>(kRows[i].reason) != i) return false;
  }
  return true;
}
static_assert(rows_are_in_order());

bool is_about_amounts(Reason reason) {
  switch (reason) {
    case Reason::cluster_overcommitted:
    case Reason::queue_capability:
    case Reason::queue_share_used:
    case Reason::guarantees_kept:
    case Reason::larger_than_cluster:
    case Reason::pod_too_large:
    case Reason::queue_too_small:
    case Reason::not_entitled:
      return true;
    default:
      return false;
  }
}

void replace(std::string& text, std::string_view mark, std::string_view by) {
  if (const auto at = text.find(mark); at != std::string::npos) text.replace(at, mark.size(), by);
}

}  // namespace

std::string_view code(Reason reason) { return kRows[static_cast<std::size_t>(reason)].code; }

std::string sentence(Reason reason, std::int64_t have, std::int64_t need, std::string_view what) {
  std::string text(kRows[static_cast<std::size_t>(reason)].sentence);
  const auto number = [&](std::int64_t value, Rounding rounding) {
    return is_about_amounts(reason) ? readable_amount(what, value, rounding)
                                    : std::to_string(value);
  };
  // `what` comes last, because a user's text may itself contain a mark.
  replace(text, "{have}", number(have, Rounding::down));
  replace(text, "{need}", number(need, Rounding::up));
  replace(text, "{what}", what);
  return text;
}

}  // namespace berth
