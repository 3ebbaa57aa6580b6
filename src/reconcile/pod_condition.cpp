#include "reconcile/pod_condition.h"

#include "ports/plan_table.h"

namespace berth::reconcile {

namespace {

// The one reason that autoscalers act on.
constexpr std::string_view kUnschedulable = "Unschedulable";
// AUTOSCALE-2. Without amounts: they would cause a write whenever they change. With our words:
// steering must not read a message of ours as kube-scheduler's veto.
constexpr std::string_view kNeedsNodes =
    "berth has no room for its job on the nodes; the job could start with more nodes";
constexpr std::string_view kNeedsOther =
    "berth has another reason to let its job wait; more nodes would not help";
static_assert(kNeedsNodes.starts_with(ports::kOurRefusals) &&
              kNeedsOther.starts_with(ports::kOurRefusals));

}  // namespace

// AUTOSCALE-1
bool nodes_would_help(Reason reason) {
  switch (reason) {
    case Reason::cluster_overcommitted:
    case Reason::gave_way:
    case Reason::gang_incomplete:
    case Reason::role_incomplete:
    case Reason::surplus_waits:
    case Reason::no_nodes:
    case Reason::larger_than_cluster:
    case Reason::fits_no_node:
    case Reason::unknown_resource:
    case Reason::pod_too_large:
    case Reason::not_packable:
    case Reason::refused_by_scheduler:
    case Reason::insufficient_resource:
    case Reason::node_unschedulable:
    case Reason::taint_not_tolerated:
    case Reason::node_selector_mismatch:
    case Reason::node_affinity_mismatch:
    case Reason::host_port_taken:
    case Reason::vetoed:
    case Reason::node_locked:
    case Reason::node_of_queue:
      return true;
    case Reason::none:
    case Reason::group_missing:
    case Reason::group_faulty:
    case Reason::gang_faulty:
    case Reason::pod_faulty:
    case Reason::queue_missing:
    case Reason::queue_closed:
    case Reason::queue_faulty:
    case Reason::queue_has_children:
    case Reason::namespace_not_allowed:
    case Reason::too_few_tasks:
    case Reason::too_few_tasks_of_role:
    case Reason::queue_capability:
    case Reason::queue_share_used:
    case Reason::guarantees_kept:
    case Reason::gated:
    case Reason::holds_releasing_room:
    case Reason::not_reached:
    case Reason::queue_too_small:
    case Reason::behind_in_queue:
    case Reason::target_given_up:
    case Reason::needs_too_many_nodes:
    case Reason::too_many_targets:
    case Reason::system_critical:
    case Reason::not_preemptable:
    case Reason::cooling_down:
    case Reason::eviction_refused:
    case Reason::budget_exhausted:
    case Reason::several_budgets:
    case Reason::gang_minimum:
    case Reason::in_flight:
    case Reason::node_is_kept:
    case Reason::not_lower:
    case Reason::queue_keeps_jobs:
    case Reason::queue_within_share:
    case Reason::queue_guarantee:
    case Reason::never_preempts:
    case Reason::nobody_may_leave:
    case Reason::not_enough_leave:
    case Reason::not_entitled:
    case Reason::claims_ended_lately:
    case Reason::not_managed:
      return false;
  }
  return false;
}

// AUTOSCALE-2
std::optional<ports::PodCondition> desired_pod_condition(bool waits_for_nodes,
                                                         const std::string& before, TimePoint now) {
  if (waits_for_nodes == (before == kUnschedulable)) return std::nullopt;
  ports::PodCondition condition;
  condition.scheduled.reason = waits_for_nodes ? kUnschedulable : "Waiting";
  condition.scheduled.message = waits_for_nodes ? kNeedsNodes : kNeedsOther;
  // As with STATUS-1: the status stays False, and so does its time.
  if (before.empty()) condition.scheduled.since = now;
  return condition;
}

}  // namespace berth::reconcile
