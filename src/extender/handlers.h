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

// The answer of each verb, as a function of the plan and the request alone. The plan must be ready.

namespace berth::extender {

// The end of a call; the label of a counter.
enum class Outcome : std::uint8_t {
  planned,    // a pod of ours was sent to its node
  hinted,     // a pod of ours: its planned node is only a preference and is not on offer
  vetoed,     // a pod of ours: kube-scheduler has ruled its planned node out
  moved,      // a pod of ours: ruled out as above, and sent to another node
  unplanned,  // a pod of ours without a planned node
  passed,     // not ours: gets everything on offer
  trimmed,    // not ours: gets the nodes without locks and planned room
  answered,   // prioritize and preempt
  bound,      // bind
  refused,    // bind: answered with an error
  abandoned,  // bind: the caller left during the wait
  malformed,  // 400
  not_ready,  // 503
};
inline constexpr std::size_t kOutcomes = 13;
const char* to_string(Outcome outcome);

using ports::kNotPlannedYet;
inline constexpr std::string_view kRoomIsPlanned = "berth has planned the room on this node";
inline constexpr std::string_view kIsLocked = "berth has locked this node for a target job";
inline constexpr std::string_view kIsOfQueue = "berth has locked this node for a queue";
static_assert(kNotPlannedYet.starts_with(ports::kOurRefusals) &&
              kRoomIsPlanned.starts_with(ports::kOurRefusals) &&
              kIsLocked.starts_with(ports::kOurRefusals) &&
              kIsOfQueue.starts_with(ports::kOurRefusals));

// The effective request of a pod given as JSON. Called only when needed.
using RequestOf = std::function<Result<NamedAmounts>(std::string_view pod_json)>;
Result<NamedAmounts> request_of(std::string_view pod_json);  // by the codec of layer kube

struct FilterAnswer {
  FilterReply reply;
  Outcome outcome = Outcome::passed;
  std::optional<PlacementDropped> dropped;   // with `vetoed`: to be posted
  std::optional<PlacementMoved> moved;       // with `moved`: to be posted, and added to the moves
  NamedAmounts request;                      // with `moved`: of the pod
  std::optional<std::string> handed_out;     // with `planned`: the node, where places are exchanged
  std::optional<ports::Exchange> exchanged;  // then, too: by which it got it
};

// An Error is about the request: its pod cannot be read.
Result<FilterAnswer> filter(const ports::PlanTable& plan, const FilterArgs& args,
                            const RequestOf& ask_request, const Moves& moves = {});

// 10 for the planned node, 0 for the others; nothing for pods without a plan.
std::vector<HostScore> prioritize(const ports::PlanTable& plan, const FilterArgs& args);

// The nodes on which kube-scheduler may preempt, with their victims as they came
// (docs/design/guard.md). A pod of ours gets none, since sessions preempt for it.
std::vector<NodeVictims> preempt(const ports::PlanTable& plan, const PreemptArgs& args);

}  // namespace berth::extender
