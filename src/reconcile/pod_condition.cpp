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
    case Reason::no_domain_has_room:
    case Reason::domains_too_small:
      return true;
    // Of nodes, but no other node would do.
    case Reason::volume_missing:
    case Reason::claim_in_use:
      return false;
    default:
      return about(reason) == ReasonAbout::node;
  }
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
