#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string_view>
#include <vector>

#include "berth/base/result.h"
#include "berth/model/event.h"
#include "berth/model/objects.h"
#include "extender/moves.h"
#include "extender/wire.h"
#include "ports/plan_table.h"

// What a verb answers, as functions of the plan and the request alone. The plan must be ready.

namespace berth::extender {

// How a call ended; the label of a counter.
enum class Outcome : std::uint8_t {
  planned,    // a pod of ours was sent to its node
  hinted,     // a pod of ours whose planned node is a preference and is not on offer
  vetoed,     // its planned node is not on offer: kube-scheduler has ruled it out
  moved,      // the same, and it was sent to another node that is
  unplanned,  // a pod of ours without a place
  passed,     // not ours: everything on offer
  trimmed,    // not ours: less locked nodes, and those whose planned room it would take
  answered,   // prioritize and preempt
  bound,      // bind
  refused,    // bind: answered with an error
  abandoned,  // bind: the caller left while it was held
  malformed,  // 400
  not_ready,  // 503
};
inline constexpr std::size_t kOutcomes = 13;
const char* to_string(Outcome outcome);

// The only text in answers about pods of ours that must wait. Constant, since it reaches the pod's
// condition, and every change of that is a write and an event there.
inline constexpr std::string_view kNotPlannedYet = "berth has not planned this pod yet";
inline constexpr std::string_view kRoomIsPlanned = "berth has planned the room on this node";
inline constexpr std::string_view kIsLocked = "berth has locked this node for a target job";
static_assert(kNotPlannedYet.starts_with(ports::kOurRefusals) &&
              kRoomIsPlanned.starts_with(ports::kOurRefusals) &&
              kIsLocked.starts_with(ports::kOurRefusals));

// The effective request of a pod given as JSON. Asked for only when needed.
using RequestOf = std::function<Result<NamedAmounts>(std::string_view pod_json)>;
Result<NamedAmounts> request_of(std::string_view pod_json);  // by the codec of layer kube

struct FilterAnswer {
  FilterReply reply;
  Outcome outcome = Outcome::passed;
  std::optional<PlacementDropped> dropped;  // with `vetoed`: to be posted
  std::optional<PlacementMoved> moved;      // with `moved`: to be posted, and added to the moves
  NamedAmounts request;                     // with `moved`: of the pod
};

// An Error is the request's (its pod cannot be read).
Result<FilterAnswer> filter(const ports::PlanTable& plan, const FilterArgs& args,
                            const RequestOf& ask_request, const Moves& moves = {});

// 10 for the planned node, 0 for the others; nothing for pods without a plan.
std::vector<HostScore> prioritize(const ports::PlanTable& plan, const FilterArgs& args);

// The nodes on which kube-scheduler may preempt, with their victims: none for pods of ours, since
// sessions preempt for them; else those that are not locked, and would not cost a planned pod its
// place.
std::vector<NodeVictims> preempt(const ports::PlanTable& plan, const PreemptArgs& args);

}  // namespace berth::extender
