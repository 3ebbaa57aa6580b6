#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace berth {

// The reason of a refusal. Its code goes into the user's condition, the metric and the explanation.
// Each has one sentence (src/model/reason.cpp).
enum class Reason : std::uint8_t {
  none,
  // about a job
  group_missing,
  group_faulty,
  composite_waits,
  gang_faulty,          // of a pod that may be one of a gang
  pod_faulty,           // also of each node
  object_too_large,     // also of each node
  namespace_too_large,  // also of each node
  queue_missing,
  queue_closed,
  queue_faulty,
  queue_has_children,
  namespace_not_allowed,
  too_few_tasks,
  too_few_tasks_of_role,
  cluster_overcommitted,
  queue_capability,
  queue_share_used,
  guarantees_kept,
  gave_way,
  gated,
  gang_incomplete,
  role_incomplete,
  surplus_waits,
  holds_releasing_room,
  holds_vetoed_room,
  not_reached,
  no_nodes,
  larger_than_cluster,
  fits_no_node,
  unknown_resource,
  pod_too_large,
  queue_too_small,
  behind_in_queue,
  room_kept,
  not_packable,
  target_given_up,
  needs_too_many_nodes,
  too_many_targets,
  refused_by_scheduler,
  claim_not_ready,
  no_domain_has_room,
  domains_too_small,
  // about a node
  insufficient_resource,
  node_unschedulable,
  taint_not_tolerated,
  node_selector_mismatch,
  node_affinity_mismatch,
  host_port_taken,
  vetoed,
  node_locked,
  node_of_queue,
  pod_affinity_mismatch,
  pod_anti_affinity_mismatch,
  existing_pod_anti_affinity,
  topology_spread,
  topology_label_missing,
  volume_node_affinity,
  no_volume_to_bind,
  not_enough_storage,
  volume_missing,
  volume_zone,
  disk_conflict,
  claim_in_use,
  too_many_volumes,
  // about a victim
  system_critical,
  not_preemptable,
  cooling_down,
  eviction_refused,
  budget_exhausted,
  several_budgets,
  gang_minimum,
  in_flight,
  node_is_kept,
  not_lower,
  queue_keeps_jobs,
  queue_within_share,
  queue_guarantee,
  // about evictions for a job
  never_preempts,
  nobody_may_leave,
  not_enough_leave,
  not_entitled,
  claims_ended_lately,
  not_managed,
  started_lately,     // about a victim
  evictions_used_up,  // likewise
  eviction_limit,
  evictions_beyond_limit,
};
inline constexpr std::size_t kReasonCount =
    static_cast<std::size_t>(Reason::evictions_beyond_limit) + 1;

enum class ReasonAbout : std::uint8_t { job, node, victim, evictions };

// "gang_incomplete"
std::string_view code(Reason reason);
std::optional<Reason> reason_of(std::string_view code);  // none: no such code
ReasonAbout about(Reason reason);
// Sentences for people: how its cause is mended. docs/reasons.md shows them. Empty: of `none` only.
std::string_view remedy(Reason reason);
std::string_view pattern(Reason reason);  // the sentence with its marks

// The sentence with its numbers and name, without a full stop. `{have}`, `{need}` and `{what}` of
// the table stand for the arguments. If `what` is a resource, amounts are readable (amount_text.h):
// the need is rounded up, the amount available down.
std::string sentence(Reason reason, std::int64_t have, std::int64_t need, std::string_view what);

}  // namespace berth
