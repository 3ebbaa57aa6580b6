#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "berth/model/objects.h"
#include "ports/by_text.h"
#include "ports/guard_table.h"
#include "ports/leadership.h"

// The sessions' plans as an immutable value, published after each session that changed it. Extender
// calls are answered from it alone.

namespace berth::ports {

// The extender's refusals of all nodes begin so, in kube-scheduler's messages, too.
inline constexpr std::string_view kOurRefusals = "berth has";
// The only text in answers about pods of ours that must wait. It is constant: it reaches the pod's
// condition, and each change there costs a write and an event.
inline constexpr std::string_view kNotPlannedYet = "berth has not planned this pod yet";

struct PlannedGang {
  std::string job;              // namespace/name; "pod namespace/name" of a pod in no group
  std::int32_t min_member = 1;  // members that must be bound together
  std::int32_t bound = 0;       // members that are bound already, by the mirror
  // Its pods are nominated, or shown with their node, before kube-scheduler may try them.
  bool is_offered_first = true;
  // Those with nodes of their own that it may use: its queue, and the queues above it.
  std::vector<std::string> queues = {};
};

struct PlannedPod {
  std::string full_name;  // namespace/name
  std::string node;
  std::shared_ptr<const PlannedGang> gang;
  bool is_hint = false;  // constraints we do not model: the node is a preference, not a decision
  // RELATION-11. It counts for other pods, or they for it: it goes nowhere else.
  bool has_relations = false;
  bool is_quiet = false;  // VIEW-20: kube-scheduler's event about its Binding is not written
  // STEER-16. The uids of the pods that may exchange their places with it, and its own; null: its
  // place is its own. Those of lower order are handed out first.
  std::shared_ptr<const std::vector<std::string>> alike = nullptr;
  std::uint64_t order = 0;
};

// The idle room on nodes with planned pods, once these have come. Dense, because a filter
// call looks at 5,000 of them.
struct RoomLeft {
  std::vector<std::string> resources;  // by column; what is not among them is not there
  ByText<std::uint32_t> rows;          // by node
  std::vector<std::int64_t> amounts;   // row after row
};

struct PlanTable {
  std::uint64_t epoch = 0;      // of the session that made it
  bool ready = false;           // false: not synced or not leader; every verb is answered 503
  Term term;                    // of the leader that made it
  std::uint64_t exchanges = 0;  // of those of Moves, so many have been taken in
  std::vector<std::string> managed_schedulers;  // spec.schedulerName of pods we decide for

  // By pod uid; pods that are planned and not yet seen bound.
  ByText<PlannedPod> pods;

  // An unmanaged pod that asks for more than this would take planned room.
  RoomLeft room_left;

  // Nodes that are locked, and the jobs that they are locked for, as PlannedGang::job. Nobody else
  // may go there but what comes with its node.
  ByText<std::string> locks;

  // Nodes that are kept for queues, and the names of these. Nobody else may go there but what comes
  // with its node. A node may be in both: then it is its job's.
  ByText<std::string> queue_nodes;

  // Nodes where room is claimed: it is being vacated for a job.
  TextSet claimed_nodes;

  // Null: no pod of ours is protected from preemption.
  std::shared_ptr<const GuardTable> guard;

  // LEASE-5. False also of one that an overdue leader has left.
  bool is_in_force() const { return ready && term.holds(); }

  const PlannedPod* find(std::string_view uid) const {
    const auto found = pods.find(uid);
    return found == pods.end() ? nullptr : &found->second;
  }
};

}  // namespace berth::ports
