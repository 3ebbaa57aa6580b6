#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "berth/base/clock.h"
#include "berth/base/strong_id.h"
#include "berth/model/time_limit.h"

namespace berth {

enum class TaskStatus : std::uint8_t {
  pending,    // has no place
  allocated,  // a session gave it idle room; never outlives the session
  pipelined,  // a session promised it room being vacated; what outlives it is a Claim
  binding,    // planned by an earlier session, not yet seen bound: its room is reserved
  bound,      // has a node, not yet running
  running,
  releasing,  // leaving its node
  succeeded,
  failed,
};
inline constexpr std::size_t kTaskStatusCount = 9;

const char* to_string(TaskStatus status);

// It can be evicted.
constexpr bool is_on_its_node(TaskStatus status) {
  return status == TaskStatus::bound || status == TaskStatus::running;
}

// True if its request is not idle on its node (in Volcano's terms, all states except Pipelined).
constexpr bool occupies_node(TaskStatus status) {
  return status == TaskStatus::allocated || status == TaskStatus::binding ||
         is_on_its_node(status) || status == TaskStatus::releasing;
}

// True if it counts towards the use of its job and queue.
constexpr bool is_allocated(TaskStatus status) {
  return status == TaskStatus::allocated || status == TaskStatus::binding || is_on_its_node(status);
}

inline constexpr std::uint16_t kNoRole = 0xffff;

// A pod to place, or a placed one. Pods of other schedulers have no job; they only take room on
// their node.
struct Task {
  std::string name;  // namespace/name
  std::string uid;
  JobId job;
  ShapeId shape;
  LabelSetId labels;  // PodRelations::labels
  NodeId node;        // valid unless pending, finished, or bound to an unknown node
  TaskStatus status = TaskStatus::pending;
  bool is_evicted = false;  // by us, and not seen to leave yet: it is `releasing`
  bool hangs = false;       // of ours; it was to leave, and does not end (CLAIM-13): it has no job
  bool is_gated = false;    // has scheduling gates that are not ours: may not be placed
  bool is_preemptable = true;
  bool cools_down = false;       // its user lets nobody evict it for a while after its start
  bool is_of_node = false;       // came with its node: DaemonSets', static and critical pods
  bool never_leaves = false;     // it came with the node, or is not ours and runs for ever
  bool runs_forever = false;     // by its restartPolicy; of ours, its controller may end it
  bool is_critical = false;      // system-cluster-critical, system-node-critical or in kube-system
  bool never_preempts = false;   // preemptionPolicy Never: nobody is evicted for it
  std::uint16_t role = kNoRole;  // index into Job::roles
  std::uint64_t near_rules = 0;  // a bit for each rule of Job::topology that is about it
  std::int32_t priority = 0;
  std::int64_t index = -1;  // within its group; -1: none
  TimePoint created;
  TimePoint scheduled_at = TimePoint::min();  // when it got its node; min: it has none
  TimePoint started = TimePoint::min();       // status.startTime; min: it has not started
  TimeTerms times;
  std::optional<JobDeadline> job_deadline;  // of the object that controls its pod
  // Until then it is not evicted: as its user asks, and because the API server has just refused.
  TimePoint cooldown_until = TimePoint::min();
  TimePoint eviction_refused_until = TimePoint::min();

  // True if it has room, was promised room, or waits for it.
  bool wants_room() const {
    return is_allocated(status) || status == TaskStatus::pipelined ||
           (status == TaskStatus::pending && !is_gated);
  }
};

std::string_view name_space_of(const Task& task);

}  // namespace berth
