#include "berth/model/plan.h"

#include <tuple>

#include "berth/base/enum_text.h"
#include "berth/base/printable.h"
#include "berth/model/amount_text.h"
#include "berth/model/cluster.h"
#include "berth/model/reader.h"

namespace berth {

// For all pods that stay for the reason, so without their numbers and names. "They" are the pods:
// the job that waits is "it".
std::string why_spared(Reason reason) {
  switch (reason) {
    case Reason::system_critical:
      return "they are critical to the system";
    case Reason::not_preemptable:
      return "their users let nobody evict them";
    case Reason::cooling_down:
      return "they started a short while ago, and have a cooldown time";
    case Reason::eviction_refused:
      return "the API server has just refused to evict them";
    case Reason::budget_exhausted:
      return "their disruption budgets allow no more disruptions";
    case Reason::several_budgets:
      return "they have several disruption budgets, and the API server evicts no such pod";
    case Reason::gang_minimum:
      return "their jobs would have less than their minimums";
    case Reason::in_flight:
      return "other pods of their jobs are being placed";
    case Reason::node_is_kept:
      return "their nodes are locked for others";
    case Reason::not_lower:
      return "their jobs have no lower priority, and no surplus to lend";
    case Reason::queue_keeps_jobs:
      return "their queues are not reclaimable, and their jobs have no surplus to lend";
    case Reason::queue_within_share:
      return "their queues have no more than their shares of what is needed";
    case Reason::queue_guarantee:
      return "their queues would have less than their guarantees";
    case Reason::not_managed:
      return "other schedulers manage them";
    default:
      return sentence(reason, 0, 0, {});
  }
}

namespace {

// Can somebody change that pods stay for this reason? If not, it says nothing that helps.
bool can_be_changed(Reason reason) {
  return reason == Reason::not_preemptable || reason == Reason::cooling_down ||
         reason == Reason::eviction_refused || reason == Reason::budget_exhausted ||
         reason == Reason::several_budgets || reason == Reason::queue_keeps_jobs ||
         reason == Reason::started_lately;
}

}  // namespace

bool Plan::operator==(const Plan& other) const {
  const auto decided = [](const Plan& each) {
    return std::tie(each.binds, each.pipelined, each.ended_claims, each.evictions, each.considered,
                    each.admitted, each.returned, each.refusals, each.order, each.reservations,
                    each.promises, each.ended, each.evicts, each.reclaims, each.notes,
                    each.queue_nodes, each.queue_reservations, each.has_relocked);
  };
  const bool same_shares =
      shares == other.shares ||
      (shares != nullptr && other.shares != nullptr && *shares == *other.shares);
  return same_shares && decided(*this) == decided(other);
}

const char* to_string(EvictedAs as) {
  return enum_text<EvictedAs::unready_job>(as, "unknown", "surplus", "whole_job", "lower_member",
                                           "unready_job");
}

std::string PlannedEviction::beneficiary_name(const Cluster& cluster) const {
  if (beneficiary.is_valid()) return cluster.job(beneficiary).name;
  return queue.is_valid() ? "queue " + cluster.queue(queue).name : "";
}

std::string PlannedEviction::text(const Cluster& cluster) const {
  return text(beneficiary_name(cluster));
}

std::string PlannedEviction::text_for_victim(const Cluster& cluster) const {
  const std::string name = beneficiary_name(cluster);
  return text(beneficiary.is_valid() ? name_for(cluster.task(task).name, "job", name) : name);
}

std::string PlannedEviction::text(const std::string& name) const {
  std::string text = "by " + std::string(action);
  if (!name.empty()) text += " for " + name;
  if (!why.empty()) text += ": " + why;
  return text;
}

std::string ConsideredEvictions::text() const {
  std::string text = std::string(action) + " evicts nobody for it: " + sentence(why);
  if (!why.detail.empty()) text += " (" + printable(why.detail) + ")";
  const char* separator = "; ";
  if (candidates > 0) {
    text += separator + std::to_string(candidates) + " pods could leave";
    separator = ", ";
  }
  for (const Spared& each : spared) {
    text += separator + std::to_string(each.pods) + " stay: " + why_spared(each.reason);
    separator = ", ";
  }
  return text;
}

std::string ConsideredEvictions::short_text() const {
  const std::string text = std::string(action) + " evicts nobody for it: ";
  switch (why.reason) {
    case Reason::eviction_limit:
    case Reason::evictions_beyond_limit:
      return text + "the limit of evictions a minute is used up";
    case Reason::never_preempts:
    case Reason::claims_ended_lately:
      return text + sentence(why);
    case Reason::not_entitled:  // it is larger than the share of its queue
      return why.detail.empty() ? std::string() : text + sentence(why) + "; " + why.detail;
    case Reason::nobody_may_leave:
    case Reason::not_enough_leave:
      if (spared.empty() || !can_be_changed(spared.front().reason)) return {};
      return text + "pods stay, because " + why_spared(spared.front().reason);
    default:
      return {};
  }
}

std::string NodeRefusals::text() const {
  std::string text = std::to_string(nodes) + " " + sentence(reason, 0, 0, what);
  if (reason != Reason::insufficient_resource || need == 0) return text;
  return text + " (" + readable_amount(what, need, Rounding::up) + " needed, at most " +
         readable_amount(what, have, Rounding::down) + " idle)";
}

std::string Refusal::message(const std::string& task_name) const {
  std::string text = sentence(*this);
  if (!detail.empty()) text += " (" + printable(detail) + ")";
  if (task.is_valid()) text += nodes_text(task_name);
  for (const std::string& each : evictions) text += "; " + each;
  if (!turn.empty()) text += "; " + printable(turn);
  return text;
}

std::string Refusal::nodes_text(const std::string& task_name) const {
  std::string text;
  std::int32_t refusing = 0;
  for (const NodeRefusals& refusals : nodes) refusing += refusals.nodes;
  text += "; " + std::to_string(node_count - refusing) + "/" + std::to_string(node_count) +
          " nodes fit " + task_name;
  const char* separator = ": ";
  for (const NodeRefusals& refusals : nodes) {
    text += separator + refusals.text();
    separator = ", ";
  }
  return text;
}

}  // namespace berth
