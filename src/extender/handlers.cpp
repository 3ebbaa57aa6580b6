#include "extender/handlers.h"

#include <algorithm>
#include <array>
#include <iterator>
#include <string>
#include <utility>

#include "berth/model/room.h"
#include "extender/guard.h"

// Rejections in an answer (reference notes on the protocol, 1.2 and 3.4):
//
// - A rejected node goes into FailedAndUnresolvableNodes or into no list. FailedNodes are
// candidates for kube-scheduler's preemption, which cannot help here. Nodes in no list count as
// unresolvable from 1.31 on; before, they are candidates, and /guard/preempt answers "none".
//
// - One entry for each reason brings it to the pod's condition, and keeps a reply to 5,000 names
// small. The text is constant and the count is 1, so the condition stays the same between attempts.

namespace berth::extender {
namespace {

bool is_ours(const ports::PlanTable& plan, const PodOnWire& pod) {
  const auto& ours = plan.managed_schedulers;
  return std::find(ours.begin(), ours.end(), pod.scheduler_name) != ours.end();
}

const NodeOnWire* find_node(const FilterArgs& args, std::string_view name) {
  const auto found = std::find_if(args.nodes.begin(), args.nodes.end(),
                                  [&](const NodeOnWire& node) { return node.name == name; });
  return found == args.nodes.end() ? nullptr : &*found;
}

void accept_all(const FilterArgs& args, FilterReply& reply) {
  reply.accepted.reserve(args.nodes.size());
  for (const NodeOnWire& node : args.nodes) reply.accepted.push_back(node.json);
}

void reject_all(const FilterArgs& args, FilterReply& reply) {
  if (!args.nodes.empty()) reply.rejected = {{args.nodes.front().name, kNotPlannedYet}};
}

// A request by columns of RoomLeft. None if it asks for a resource that no node has.
using RequestByColumn = std::vector<std::pair<std::size_t, std::int64_t>>;
std::optional<RequestByColumn> by_column(const NamedAmounts& request,
                                         const std::vector<std::string>& resources) {
  RequestByColumn columns;
  for (const auto& [name, amount] : request) {
    if (amount <= 0) continue;
    const auto found = std::find(resources.begin(), resources.end(), name);
    if (found == resources.end()) return std::nullopt;
    columns.emplace_back(found - resources.begin(), amount);
  }
  return columns;
}

bool leaves_planned_room(const ports::RoomLeft& room, std::uint32_t row,
                         const RequestByColumn& columns) {
  const std::int64_t* amounts = &room.amounts[row * room.resources.size()];
  return is_covered(columns, [amounts](std::size_t column) { return amounts[column]; });
}

// True for a pod that locks do not stop: pods that come with their node pass all locks.
bool is_above_locks(const ports::PlanTable& plan, const PodOnWire& pod) {
  return (plan.locks.empty() && plan.queue_nodes.empty()) || pod.is_daemon;
}

// Why a lock keeps the pod off the node; empty: none does. `planned` is the pod's entry in the
// plan; null if it has none.
std::string_view locked_out(const ports::PlanTable& plan, const ports::PlannedPod* planned,
                            std::string_view node) {
  const ports::PlannedGang* gang = planned == nullptr ? nullptr : planned->gang.get();
  const auto lock = plan.locks.find(node);
  if (lock != plan.locks.end() && (gang == nullptr || gang->job != lock->second)) return kIsLocked;
  const auto queue = plan.queue_nodes.find(node);
  if (queue == plan.queue_nodes.end()) return {};
  const auto is_of_queue = [&] {
    return std::find(gang->queues.begin(), gang->queues.end(), queue->second) != gang->queues.end();
  };
  return gang != nullptr && is_of_queue() ? std::string_view() : kIsOfQueue;
}

// Reports one node for each reason.
void reject(const NodeOnWire& node, std::string_view why, FilterAnswer& answer) {
  auto& rejected = answer.reply.rejected;
  const bool is_listed = std::any_of(rejected.begin(), rejected.end(),
                                     [&](const auto& each) { return each.second == why; });
  if (!is_listed) rejected.emplace_back(node.name, why);
  answer.outcome = Outcome::trimmed;
}

// For a pod that is not ours, or a hint: every node on offer that is not kept for others.
FilterAnswer filter_free(const ports::PlanTable& plan, const ports::PlannedPod* planned,
                         const FilterArgs& args, const NamedAmounts& request, FilterAnswer answer) {
  answer.reply.accepted.reserve(args.nodes.size());
  const ports::RoomLeft& room = plan.room_left;
  const auto columns = by_column(request, room.resources);
  const bool is_above = is_above_locks(plan, args.pod);
  for (const NodeOnWire& node : args.nodes) {
    const auto row = room.rows.find(node.name);
    const auto why = is_above ? std::string_view() : locked_out(plan, planned, node.name);
    if (!why.empty()) {
      reject(node, why, answer);
    } else if (row == room.rows.end() ||
               (columns && leaves_planned_room(room, row->second, *columns))) {
      answer.reply.accepted.push_back(node.json);
    } else {
      reject(node, kRoomIsPlanned, answer);
    }
  }
  return answer;
}

// A planned node that is not on offer counts as ruled out only after its nomination. Before that,
// kube-scheduler may have sampled the nodes without it, or tried an older nomination first. Without
// nominations, a list of several nodes is the only sign.
bool is_veto(const ports::PlannedPod& planned, const FilterArgs& args) {
  const std::string& nominated = args.pod.nominated_node;
  const bool is_offered_first = planned.gang == nullptr || planned.gang->is_offered_first;
  return nominated == planned.node || ((!is_offered_first || planned.alike != nullptr) &&
                                       (nominated.empty() || args.nodes.size() > 1));
}

// STEER-16. The first place on offer in the order of the plan, of those that have not been handed
// out. Nothing: there is none.
std::optional<ports::Exchange> next_place(const ports::PlanTable& plan,
                                          const ports::PlannedPod& planned, const FilterArgs& args,
                                          const Moves& moves) {
  const Moves::Place own = moves.place_of(args.pod.uid, planned, plan.exchanges);
  std::optional<ports::Exchange> best;
  for (const std::string& uid : *planned.alike) {
    const ports::PlannedPod* other = plan.find(uid);
    if (other == nullptr) continue;
    const auto [node, order] = moves.place_of(uid, *other, plan.exchanges);
    const bool is_own = uid == args.pod.uid;
    if (best && best->other_order <= order) continue;
    if (!is_own && moves.is_handed_out(uid, node)) continue;
    if (find_node(args, node) == nullptr) continue;
    const bool may_exchange = is_own || (locked_out(plan, &planned, node).empty() &&
                                         locked_out(plan, other, own.node).empty());
    if (may_exchange) best = ports::Exchange{args.pod.uid, own.node, uid, node, own.order, order};
  }
  return best;
}

// True if it has got a place.
bool hand_out(const ports::PlanTable& plan, const ports::PlannedPod& planned,
              const FilterArgs& args, const Moves& moves, FilterAnswer& answer) {
  const std::string own = moves.node_of(args.pod.uid, planned.node, plan.exchanges);
  const bool has_place = moves.is_handed_out(args.pod.uid, own) && find_node(args, own) != nullptr;
  if (has_place) {
    answer.handed_out = own;
  } else if (const auto next = next_place(plan, planned, args, moves)) {
    answer.handed_out = next->other_node;
    if (next->other_uid != args.pod.uid) answer.exchanged = next;
  } else {
    return false;
  }
  answer.reply.accepted = {find_node(args, *answer.handed_out)->json};
  answer.outcome = Outcome::planned;
  return true;
}

// STEER-12. Looks at the nodes on offer, where kube-scheduler found room. Returns the first by name
// where the pod takes no room from planned or moved pods. A node that is locked for another job or
// queue is never chosen.
const NodeOnWire* find_alternative(const ports::PlanTable& plan, const ports::PlannedPod& planned,
                                   const FilterArgs& args, const NamedAmounts& request,
                                   const Moves& moves) {
  const bool is_above = is_above_locks(plan, args.pod);
  const NodeOnWire* best = nullptr;
  for (const NodeOnWire& node : args.nodes) {
    if (best != nullptr && best->name <= node.name) continue;
    if (!is_above && !locked_out(plan, &planned, node.name).empty()) continue;
    NamedAmounts asked = moves.taken_on(node.name);
    const auto row = plan.room_left.rows.find(node.name);
    // The room of this node is unknown.
    if (row == plan.room_left.rows.end() && !asked.empty()) continue;
    for (const auto& [resource, amount] : request) asked[resource] += amount;
    const auto columns = by_column(asked, plan.room_left.resources);
    const bool fits = row == plan.room_left.rows.end() ||
                      (columns && leaves_planned_room(plan.room_left, row->second, *columns));
    if (fits) best = &node;
  }
  return best;
}

Result<FilterAnswer> filter_planned(const ports::PlanTable& plan, const ports::PlannedPod& planned,
                                    const FilterArgs& args, const RequestOf& ask_request,
                                    const Moves& moves, FilterAnswer answer) {
  if (planned.alike != nullptr && hand_out(plan, planned, args, moves, answer)) return answer;
  const std::string target = moves.node_of(args.pod.uid, planned.node, plan.exchanges);
  if (const NodeOnWire* node = find_node(args, target)) {
    answer.reply.accepted = {node->json};
    answer.outcome = Outcome::planned;
    return answer;
  }
  answer.outcome = Outcome::vetoed;
  if (!is_veto(planned, args)) {
    reject_all(args, answer.reply);
    return answer;
  }
  // RELATION-11. The rules of other pods are known to the session alone.
  if (target == planned.node && !args.nodes.empty() && !planned.has_relations) {
    Result<NamedAmounts> request = ask_request(args.pod.json);
    if (!request) return request.error();
    if (const NodeOnWire* node = find_alternative(plan, planned, args, *request, moves)) {
      answer.reply.accepted = {node->json};
      answer.outcome = Outcome::moved;
      answer.moved = PlacementMoved{args.pod.uid, planned.node, std::string(node->name)};
      answer.request = *std::move(request);
      return answer;
    }
  }
  reject_all(args, answer.reply);
  const std::string& refused = planned.alike == nullptr ? planned.node : target;
  answer.dropped = PlacementDropped{
      args.pod.uid, refused,
      "kube-scheduler does not offer node \"" + refused + "\" to pod \"" + planned.full_name + "\"",
      true};
  return answer;
}

}  // namespace

const char* to_string(Outcome outcome) {
  constexpr std::array<const char*, kOutcomes> kNames{
      "planned",  "hinted", "vetoed",  "moved",     "unplanned", "passed",   "trimmed",
      "answered", "bound",  "refused", "abandoned", "malformed", "not_ready"};
  return kNames[static_cast<std::size_t>(outcome)];
}

Result<FilterAnswer> filter(const ports::PlanTable& plan, const FilterArgs& args,
                            const RequestOf& ask_request, const Moves& moves) {
  FilterAnswer answer;
  answer.reply.form = args.form;
  const ports::PlannedPod* planned = plan.find(args.pod.uid);
  // A hint may use another node if its own is not on offer and no plan needs the room there.
  const bool is_free_hint =
      planned != nullptr && planned->is_hint && find_node(args, planned->node) == nullptr;
  if (planned != nullptr && !is_free_hint) {
    return filter_planned(plan, *planned, args, ask_request, moves, std::move(answer));
  }
  if (planned == nullptr && is_ours(plan, args.pod)) {
    reject_all(args, answer.reply);
    answer.outcome = Outcome::unplanned;
    return answer;
  }
  NamedAmounts request;
  if (!plan.room_left.rows.empty()) {
    Result<NamedAmounts> asked = ask_request(args.pod.json);
    if (!asked) return asked.error();
    request = *std::move(asked);
  } else if (is_above_locks(plan, args.pod)) {
    accept_all(args, answer.reply);
    if (is_free_hint) answer.outcome = Outcome::hinted;
    return answer;
  }
  answer = filter_free(plan, planned, args, request, std::move(answer));
  if (is_free_hint) answer.outcome = Outcome::hinted;
  return answer;
}

std::vector<HostScore> prioritize(const ports::PlanTable& plan, const FilterArgs& args) {
  std::vector<HostScore> scores;
  const ports::PlannedPod* planned = plan.find(args.pod.uid);
  if (planned == nullptr) return scores;
  scores.reserve(args.nodes.size());
  for (const NodeOnWire& node : args.nodes) {
    scores.push_back({node.name, node.name == planned->node ? 10 : 0});
  }
  return scores;
}

// GUARD-1, GUARD-2, GUARD-3, GUARD-7.
std::vector<NodeVictims> preempt(const ports::PlanTable& plan, const PreemptArgs& args) {
  std::vector<NodeVictims> kept;
  if (plan.find(args.pod.uid) != nullptr || is_ours(plan, args.pod)) return kept;
  const auto is_kept_for_others = [&](const NodeVictims& node) {
    return !args.pod.is_daemon &&
           (plan.locks.contains(node.node) || plan.queue_nodes.contains(node.node) ||
            plan.claimed_nodes.contains(node.node));
  };
  const auto is_planned = [&](const std::string& uid) { return plan.find(uid) != nullptr; };
  std::copy_if(args.nodes.begin(), args.nodes.end(), std::back_inserter(kept),
               [&](const NodeVictims& node) {
                 return !is_kept_for_others(node) &&
                        std::none_of(node.pod_uids.begin(), node.pod_uids.end(), is_planned) &&
                        (plan.guard == nullptr || !would_break_a_gang(*plan.guard, node));
               });
  return kept;
}

}  // namespace berth::extender
