#include "berth/model/reason.h"

#include <array>

#include "berth/base/printable.h"
#include "berth/model/amount_text.h"

namespace berth {

namespace {

struct Row {
  Reason reason;
  std::string_view code;
  ReasonAbout about;
  std::string_view sentence;
  std::string_view remedy;
};

constexpr std::array<Row, kReasonCount> kRows{{
    {Reason::none, "none", ReasonAbout::job, "nothing stands in the way", ""},
    {Reason::group_missing, "group_missing", ReasonAbout::job,
     "its pods name pod group \"{what}\", which does not exist",
     "Create the PodGroup, or take the group annotation out of the pod template."},
    {Reason::group_faulty, "group_faulty", ReasonAbout::job, "its pod group cannot be read: {what}",
     "Correct the field of the PodGroup that the message names."},
    {Reason::composite_waits, "composite_waits", ReasonAbout::job, "it does not start yet: {what}",
     "Wait for the groups that the message names, or create them."},
    {Reason::gang_faulty, "gang_faulty", ReasonAbout::job, "its gang cannot be made: {what}",
     "Correct the annotation `berth.dev/gang` as the message says."},
    {Reason::pod_faulty, "pod_faulty", ReasonAbout::job, "one of its pods cannot be read: {what}",
     "Correct the field of the pod template that the message names, and create the pods again."},
    {Reason::object_too_large, "object_too_large", ReasonAbout::job,
     "one of its pods has more than is planned: {what}",
     "Give the pod less of what the message names, and create it again. docs/design/bounds.md has "
     "the limits."},
    {Reason::namespace_too_large, "namespace_too_large", ReasonAbout::job,
     "its namespace has more than is planned at a time: {what}",
     "Wait until pods of the namespace have started or ended, or make them more alike. "
     "docs/design/bounds.md has the limits."},
    {Reason::queue_missing, "queue_missing", ReasonAbout::job, "queue \"{what}\" does not exist",
     "Name a queue that exists: `berth queues` lists them. Or ask the administrator to create it."},
    {Reason::queue_closed, "queue_closed", ReasonAbout::job, "queue \"{what}\" is not open",
     "Wait until the administrator opens the queue, or name another queue."},
    {Reason::queue_faulty, "queue_faulty", ReasonAbout::job, "its queue is set up wrongly: {what}",
     "Ask the administrator to correct the queue: its condition `Ready` says the same."},
    {Reason::queue_has_children, "queue_has_children", ReasonAbout::job,
     "queue \"{what}\" has queues below it; jobs belong in one of those",
     "Name one of the queues below it."},
    {Reason::namespace_not_allowed, "namespace_not_allowed", ReasonAbout::job,
     "its namespace may not use queue \"{what}\"",
     "Name a queue that its namespace may use, or ask the administrator to admit the namespace."},
    {Reason::too_few_tasks, "too_few_tasks", ReasonAbout::job,
     "it has {have} pods and needs at least {need}",
     "Wait until the controller has created the pods. If it creates no more, lower the minimum, or "
     "see docs/kinds-of-jobs.md."},
    {Reason::too_few_tasks_of_role, "too_few_tasks_of_role", ReasonAbout::job,
     "it has {have} pods of role \"{what}\" and needs at least {need}",
     "Create the missing pods of this role, or lower its minimum in `minTaskMember`."},
    {Reason::cluster_overcommitted, "cluster_overcommitted", ReasonAbout::job,
     "admitting it would need {need} {what}, and {have} may still be admitted",
     "Wait until admitted jobs end, or ask for less. The plugin `overcommit` sets the limit."},
    {Reason::queue_capability, "queue_capability", ReasonAbout::job,
     "it would need {need} {what}, and its queue may use {have} more",
     "Wait until jobs of the queue end, ask for less, or ask for a larger `capability` of the "
     "queue."},
    {Reason::queue_share_used, "queue_share_used", ReasonAbout::job,
     "its queue has {have} {what}, and its share is {need}",
     "Wait until jobs of the queue end, or ask for a larger `weight` or `deserved` of the queue."},
    {Reason::guarantees_kept, "guarantees_kept", ReasonAbout::job,
     "it would need {need} {what}, and {have} are not kept for other queues' guarantees",
     "Wait for room, or use a queue that has a guarantee of its own."},
    {Reason::gave_way, "gave_way", ReasonAbout::job,
     "its admission was withdrawn: it found no place in time, and other jobs wait",
     "Nothing: it is admitted again when its turn comes."},
    {Reason::gated, "gated", ReasonAbout::job, "{have} of its pods have scheduling gates of others",
     "Take the scheduling gates off, or wait for the controller that does."},
    {Reason::gang_incomplete, "gang_incomplete", ReasonAbout::job,
     "{have} of {need} members could be placed",
     "Wait for room. `berth plan --explain` says how many nodes more would do."},
    {Reason::role_incomplete, "role_incomplete", ReasonAbout::job,
     "{have} of {need} members of role \"{what}\" could be placed",
     "Wait for room for this role, as for a whole gang."},
    {Reason::surplus_waits, "surplus_waits", ReasonAbout::job,
     "its minimum is placed; {need} other pods wait for room",
     "Nothing: the job runs with its minimum, and gets more pods when there is room."},
    {Reason::holds_releasing_room, "holds_releasing_room", ReasonAbout::job,
     "{have} of {need} members hold idle room; it waits for pods that are leaving",
     "Nothing: it starts when the pods that leave are gone."},
    {Reason::holds_vetoed_room, "holds_vetoed_room", ReasonAbout::job,
     "{have} of {need} members hold idle room; kube-scheduler recently ruled out a node that is "
     "kept for the others",
     "Read the event `FailedScheduling` of its pods, or of others that ask for the same. The node "
     "is tried again by itself."},
    {Reason::not_reached, "not_reached", ReasonAbout::job, "no action considered it",
     "Look at the `actions` of the configuration: none of them serves such a job."},
    {Reason::no_nodes, "no_nodes", ReasonAbout::job, "the cluster has no nodes",
     "Add nodes, or wait until they have joined the cluster."},
    {Reason::larger_than_cluster, "larger_than_cluster", ReasonAbout::job,
     "its minimum needs {need} {what}, and the whole cluster can give it at most {have}",
     "Ask for less, or add nodes: the job can never start as it is."},
    {Reason::fits_no_node, "fits_no_node", ReasonAbout::job,
     "no node can take its pod {what}, even if all other pods that end have ended",
     "Correct selector, affinity or tolerations of the pod, or end a pod that stays and keeps it "
     "away: `berth plan --explain` names it."},
    {Reason::unknown_resource, "unknown_resource", ReasonAbout::job, "no node has {what}",
     "Correct the name of the resource, or add nodes that have it. A device plugin, or a "
     "DeviceClass that offers it, may be missing."},
    {Reason::pod_too_large, "pod_too_large", ReasonAbout::job,
     "one of its pods needs {need} {what}, and no node can give it more than {have}",
     "Make the pods smaller, or add larger nodes."},
    {Reason::queue_too_small, "queue_too_small", ReasonAbout::job,
     "its minimum needs {need} {what}, and its queue can have at most {have}",
     "Ask for less, or ask for a larger `capability` of the queue."},
    {Reason::behind_in_queue, "behind_in_queue", ReasonAbout::job,
     "its queue starts jobs in their order, and {what} is before it",
     "Wait: its queue is `fifo`, and the job that is named comes first."},
    {Reason::room_kept, "room_kept", ReasonAbout::job,
     "there is room for it now, and it is kept for jobs before it",
     "Wait, or state how long its pods run: with a time limit, they may use room that is back in "
     "time."},
    {Reason::not_packable, "not_packable", ReasonAbout::job,
     "the nodes can take {have} of {need} members, even if all other pods that end have ended",
     "Read what limits them. Then ask for fewer or smaller pods, or add nodes or volumes."},
    {Reason::target_given_up, "target_given_up", ReasonAbout::job,
     "nodes were kept for it, but it did not start within {what}",
     "Look at what keeps its nodes busy: `berth reservations`. It may be elected again later."},
    {Reason::needs_too_many_nodes, "needs_too_many_nodes", ReasonAbout::job,
     "it would need {need} nodes for itself, and only {have} may be locked",
     "Ask for less, or raise the limit on locked nodes of the plugin `reservation`."},
    {Reason::too_many_targets, "too_many_targets", ReasonAbout::job,
     "{need} targets are allowed at a time, and {have} come before it",
     "Wait until a target has started, or raise `targets` of the plugin `reservation`."},
    {Reason::refused_by_scheduler, "refused_by_scheduler", ReasonAbout::job,
     "kube-scheduler refused its last plan: {what}",
     "Read what kube-scheduler lacks. Another plan is tried by itself, at the latest when the "
     "pause "
     "ends."},
    {Reason::claim_not_ready, "claim_not_ready", ReasonAbout::job,
     "one of its pods has a claim that is not ready: {what}",
     "Create the PersistentVolumeClaim, or read in its events why it is not bound."},
    {Reason::no_domain_has_room, "no_domain_has_room", ReasonAbout::job,
     "no {what} has room for all pods that must be together: {need} needed, {have} at most",
     "Wait for room in one domain: `berth topology` shows what each has. Or ask for a wider level, "
     "or only prefer it."},
    {Reason::domains_too_small, "domains_too_small", ReasonAbout::job,
     "no {what} can take all pods that must be together, even if all other pods that end have "
     "ended: {need} needed, {have} at most",
     "Ask for a wider level or for fewer or smaller pods, or only prefer the level."},
    {Reason::insufficient_resource, "insufficient_resource", ReasonAbout::node,
     "insufficient {what}", "Wait for room, or ask for less of this resource."},
    {Reason::node_unschedulable, "node_unschedulable", ReasonAbout::node, "unschedulable",
     "Uncordon the node when it may take pods again."},
    {Reason::taint_not_tolerated, "taint_not_tolerated", ReasonAbout::node,
     "taint {what} not tolerated", "Add a toleration for the taint if the pods may run there."},
    {Reason::node_selector_mismatch, "node_selector_mismatch", ReasonAbout::node,
     "node selector does not match", "Correct `nodeSelector`, or label the nodes."},
    {Reason::node_affinity_mismatch, "node_affinity_mismatch", ReasonAbout::node,
     "node affinity does not match", "Correct the node affinity, or label the nodes."},
    {Reason::host_port_taken, "host_port_taken", ReasonAbout::node, "a host port is taken",
     "Use another host port, or none."},
    {Reason::vetoed, "vetoed", ReasonAbout::node, "recently ruled out by kube-scheduler ({what})",
     "Read the event `FailedScheduling` of the pod. The node is tried again by itself."},
    {Reason::node_locked, "node_locked", ReasonAbout::node, "locked for target {what}",
     "Wait until the target has started: `berth reservations`."},
    {Reason::node_of_queue, "node_of_queue", ReasonAbout::node, "kept for queue {what}",
     "Use that queue, or wait for room on other nodes."},
    {Reason::pod_affinity_mismatch, "pod_affinity_mismatch", ReasonAbout::node,
     "didn't match pod affinity rules",
     "Place the pods that it wants near it first, or correct `podAffinity`."},
    {Reason::pod_anti_affinity_mismatch, "pod_anti_affinity_mismatch", ReasonAbout::node,
     "didn't match pod anti-affinity rules",
     "Add nodes, or correct `podAntiAffinity`: pods that it refuses are there."},
    {Reason::existing_pod_anti_affinity, "existing_pod_anti_affinity", ReasonAbout::node,
     "didn't satisfy existing pods anti-affinity rules",
     "Look at the pods there: one of them refuses pods such as this."},
    {Reason::topology_spread, "topology_spread", ReasonAbout::node,
     "didn't match pod topology spread constraints",
     "Make room where there are the fewest of these pods, or raise `maxSkew`."},
    {Reason::topology_label_missing, "topology_label_missing", ReasonAbout::node,
     "didn't match pod topology spread constraints (missing required label)",
     "Label the nodes with the `topologyKey`, or correct it."},
    {Reason::volume_node_affinity, "volume_node_affinity", ReasonAbout::node,
     "didn't match PersistentVolume's node affinity",
     "Wait for room on nodes from which its volume can be reached."},
    {Reason::no_volume_to_bind, "no_volume_to_bind", ReasonAbout::node,
     "didn't find available persistent volumes to bind",
     "Create PersistentVolumes of its class that can be reached from these nodes, or lower "
     "its claim."},
    {Reason::not_enough_storage, "not_enough_storage", ReasonAbout::node,
     "did not have enough free storage", "Ask for a smaller volume, or add storage."},
    {Reason::volume_missing, "volume_missing", ReasonAbout::node,
     "unavailable due to one or more pvc(s) bound to non-existent pv(s)",
     "Look at the PersistentVolumeClaim: its volume is gone."},
    {Reason::volume_zone, "volume_zone", ReasonAbout::node, "had no available volume zone",
     "Wait for room on nodes in the zone of its volume."},
    {Reason::disk_conflict, "disk_conflict", ReasonAbout::node, "had no available disk",
     "Wait until the pod that has the disk on this node has ended."},
    {Reason::claim_in_use, "claim_in_use", ReasonAbout::node,
     "unavailable due to PersistentVolumeClaim with ReadWriteOncePod access mode already "
     "in-use by another pod",
     "Wait until the pod that uses the claim has ended."},
    {Reason::too_many_volumes, "too_many_volumes", ReasonAbout::node, "exceed max volume count",
     "Wait for room on nodes with fewer volumes."},
    {Reason::system_critical, "system_critical", ReasonAbout::victim,
     "it is critical to the system", "Nothing: Berth never evicts such a pod."},
    {Reason::not_preemptable, "not_preemptable", ReasonAbout::victim,
     "its user lets nobody evict it",
     "Its user can take `volcano.sh/preemptable: \"false\"` away."},
    {Reason::cooling_down, "cooling_down", ReasonAbout::victim,
     "it started a short while ago, and has a cooldown time",
     "Wait until its `volcano.sh/cooldown-time` has passed."},
    {Reason::eviction_refused, "eviction_refused", ReasonAbout::victim,
     "the API server has just refused to evict it",
     "Look at its PodDisruptionBudgets. Berth asks again later."},
    {Reason::budget_exhausted, "budget_exhausted", ReasonAbout::victim,
     "its disruption budget {what} allows {have} disruptions",
     "Wait until more pods of the budget are healthy, or change the budget."},
    {Reason::several_budgets, "several_budgets", ReasonAbout::victim,
     "it has {have} disruption budgets, and the API server evicts no pod of more than one",
     "Let one PodDisruptionBudget select the pod, not several."},
    {Reason::gang_minimum, "gang_minimum", ReasonAbout::victim,
     "its job runs {have} members and needs {need}",
     "Nothing: a job keeps its minimum, or leaves whole."},
    {Reason::in_flight, "in_flight", ReasonAbout::victim, "other pods of its job are being placed",
     "Nothing: it is asked again when these pods are placed."},
    {Reason::node_is_kept, "node_is_kept", ReasonAbout::victim, "its node is locked for others",
     "Nothing: its room would go to the owner of the node."},
    {Reason::not_lower, "not_lower", ReasonAbout::victim,
     "its job has no lower priority, and no surplus to lend",
     "Give the job that waits a higher priority class."},
    {Reason::queue_keeps_jobs, "queue_keeps_jobs", ReasonAbout::victim,
     "its queue is not reclaimable, and its job has no surplus to lend",
     "The administrator can set `reclaimable: true` on its queue."},
    {Reason::queue_within_share, "queue_within_share", ReasonAbout::victim,
     "its queue has no more than its share of what is needed",
     "Nothing: its queue has a right to what it uses."},
    {Reason::queue_guarantee, "queue_guarantee", ReasonAbout::victim,
     "its queue would have less than its guarantee", "Nothing: the guarantee of its queue stands."},
    {Reason::never_preempts, "never_preempts", ReasonAbout::evictions,
     "its preemptionPolicy is Never",
     "Use a priority class without `preemptionPolicy: Never` if it may evict others."},
    {Reason::nobody_may_leave, "nobody_may_leave", ReasonAbout::evictions,
     "no pod may be evicted for it",
     "Wait for room: the reasons why pods stay follow in the message."},
    {Reason::not_enough_leave, "not_enough_leave", ReasonAbout::evictions,
     "{have} of {need} members could be placed if others are evicted",
     "Wait for room, or ask for less."},
    {Reason::not_entitled, "not_entitled", ReasonAbout::evictions,
     "its queue would have {have} {what} with it, and its share or guarantee is {need}",
     "Wait for idle room, or ask for a larger share or guarantee of the queue."},
    {Reason::claims_ended_lately, "claims_ended_lately", ReasonAbout::evictions,
     "the last room that others left for it was not vacated in time",
     "Look at the pods that were evicted and do not end. It is tried again later."},
    {Reason::not_managed, "not_managed", ReasonAbout::victim, "another scheduler manages it",
     "End the pod by hand, or give it a `schedulerName` of Berth."},
    {Reason::started_lately, "started_lately", ReasonAbout::victim,
     "their job started a short while ago, and has a minimum run time",
     "Wait until the minimum run time of its queue, or of all jobs, has passed."},
    {Reason::evictions_used_up, "evictions_used_up", ReasonAbout::victim,
     "as many pods as may within a minute have left their queue, or the cluster",
     "Wait: within a minute further pods may leave. The administrator can raise `evictionLimit`."},
    {Reason::eviction_limit, "eviction_limit", ReasonAbout::evictions,
     "the limit of {need} evictions a minute{what} is used up",
     "Wait: within a minute further pods may leave. The administrator can raise `evictionLimit`."},
    {Reason::evictions_beyond_limit, "evictions_beyond_limit", ReasonAbout::evictions,
     "{have} pods would leave for it, more than is left of the limit of {need} evictions a "
     "minute{what}",
     "Wait: within a minute they may leave. The administrator can raise `evictionLimit`."},
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
ReasonAbout about(Reason reason) { return kRows[static_cast<std::size_t>(reason)].about; }
std::string_view remedy(Reason reason) { return kRows[static_cast<std::size_t>(reason)].remedy; }
std::string_view pattern(Reason reason) { return kRows[static_cast<std::size_t>(reason)].sentence; }

std::optional<Reason> reason_of(std::string_view code) {
  for (const Row& row : kRows) {
    if (row.code == code) return row.reason;
  }
  return std::nullopt;
}

std::string sentence(Reason reason, std::int64_t have, std::int64_t need, std::string_view what) {
  std::string text(kRows[static_cast<std::size_t>(reason)].sentence);
  const auto number = [&](std::int64_t value, Rounding rounding) {
    return is_about_amounts(reason) ? readable_amount(what, value, rounding)
                                    : std::to_string(value);
  };
  // `what` comes last, because a user's text may itself contain a mark.
  replace(text, "{have}", number(have, Rounding::down));
  replace(text, "{need}", number(need, Rounding::up));
  replace(text, "{what}", printable(what));
  return text;
}

}  // namespace berth
