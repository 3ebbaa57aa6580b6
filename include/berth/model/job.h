#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "berth/base/clock.h"
#include "berth/base/strong_id.h"
#include "berth/model/claim.h"
#include "berth/model/objects.h"
#include "berth/model/resources.h"
#include "berth/model/task.h"

namespace berth {

struct Attempt;

using StatusCounts = std::array<std::int32_t, kTaskStatusCount>;

// Tasks that occupy room or have done their work.
std::int32_t ready_count(const StatusCounts& counts);
inline std::int32_t count_of(const StatusCounts& counts, TaskStatus status) {
  return counts[static_cast<std::size_t>(status)];
}

// A kind of member within a group ("worker", "master") with a minimum of its own.
struct Role {
  std::string name;
  std::int32_t minimum = 0;
  StatusCounts counts{};
};

// The owner of a PodGroup, by the rules of src/mirror/group_owner.h.
enum class GroupOwner : std::uint8_t { ours, others, unclaimed };

// Tasks that are scheduled as one: a PodGroup, or one of our pods without a group. A job that is
// not ours has no tasks and no queue. Its phase follows the API, and Berth writes nothing on it.
struct Job {
  JobId id;                   // its own
  std::uint64_t version = 0;  // another whenever anything of it or its tasks changes
  std::string name;           // namespace/group, or namespace/pod
  std::string uid;
  TimePoint created;
  bool exists = false;               // false: the id is free
  bool has_group = false;            // false: its pods name a missing group; true for a single pod
  bool is_single = false;            // made for one pod in no group
  GroupApi api = GroupApi::volcano;  // of its PodGroup
  GroupOwner owner = GroupOwner::ours;
  std::string queue_name;
  QueueId queue;      // invalid: no such queue
  QueueId barred_by;  // that queue, or one above: it is not for the job's namespace; or invalid
  std::int32_t priority = 0;
  // By which it is admitted: while it has no pods, that of its group's class (MAY-12).
  std::int32_t admission_priority = 0;
  GroupPhase phase = GroupPhase::pending;
  std::optional<TimePoint> admitted_at;   // while Inqueue: since when, as far as is known
  std::optional<TimePoint> returned_at;   // sent back to Pending, and not admitted since
  std::optional<Duration> waiting_limit;  // annotation volcano.sh/sla-waiting-time

  std::optional<Duration> time_limit;       // PodGroupObject::time_limit
  std::optional<TimePoint> promised_start;  // by backfill (BEHIND-6); none: nobody has promised

  TimePoint first_seen;                    // by a scheduler; waiting counts from here
  bool is_whole = false;                   // the pods of its minimum are there, gated ones aside
  TimePoint whole_since;                   // when that became so, or ceased to be
  bool has_pods_on_nodes = false;          // bound or running
  TimePoint ran_until;                     // when it lost the last of these
  std::optional<TimePoint> unready_since;  // it ran, and has lost members of its minimum
  bool is_named_target = false;            // a user names it
  bool declines_target = false;            // a user excludes it
  std::string target_refused;              // named by somebody who may not: why; empty: not so
  std::optional<Election> election;        // it is a target
  std::optional<TimePoint> given_up_at;    // as a target, the last time
  std::shared_ptr<const Attempt> attempt;  // attempt.h; null: kube-scheduler refused none

  std::vector<Claim> claims;                 // of pending tasks, in the order of `tasks`
  bool others_left_for_it = false;           // its claims are of room that others were evicted from
  bool claims_are_restored = false;          // read from an annotation, which users can write
  bool others_are_leaving = false;           // and some of these are not gone yet
  std::optional<TimePoint> claims_ended_at;  // the last time that they were not vacated in time

  std::int32_t min_available = 1;
  std::vector<Role> roles;              // with a minimum or a member, in no order; no name: unused
  std::int32_t role_minimum_total = 0;  // sum of the minimums
  std::optional<Resources> min_resources;
  bool leaves_whole = false;    // nobody takes some of its pods alone (KUBEGROUP-6)
  bool never_preempts = false;  // nobody is evicted for it, whatever its pods say (KUBEGROUP-7)
  NamedAmounts unknown;         // what kUnknown stands for in `min_resources`
  TopologyWish topology;        // of its PodGroup and of its pods
  // Ignored fields of its PodGroup: "spec.networkTopology (hard)".
  std::vector<std::string> not_honoured;
  std::string fault;        // of its PodGroup, which could not be read; empty: none
  std::string waits_for;    // PodGroupObject::waits_for
  std::string gang_fault;   // PodObject::gang_fault, of a single pod
  std::string gang_advice;  // PodObject::gang_advice, likewise

  std::vector<TaskId> tasks;  // by (index, creation, uid)
  StatusCounts counts{};
  std::int32_t gated = 0;        // pending tasks that are gated
  std::int32_t best_effort = 0;  // pending tasks that request nothing but a pod's place
  Resources allocated;
  Resources pipelined;  // promised to it
  Resources gated_request;

  bool is_ours() const { return owner == GroupOwner::ours; }
  std::int32_t task_count() const { return static_cast<std::int32_t>(tasks.size()); }
  std::int32_t placed_count() const { return ready_count(counts); }
  std::int32_t count(TaskStatus status) const { return count_of(counts, status); }
  // Tasks that are bound, or were bound and are done.
  std::int32_t bound_count() const {
    return count(TaskStatus::bound) + count(TaskStatus::running) + count(TaskStatus::succeeded);
  }
  // Pending tasks that may be placed.
  std::int32_t unplaced_count() const { return count(TaskStatus::pending) - gated; }
  // True if minimums of roles count: only if their sum is within the job's minimum (Volcano's rule:
  // with a smaller minMember, any members will do).
  bool roles_bind() const { return role_minimum_total > 0 && role_minimum_total <= min_available; }
  // True after admission by the enqueue action, in this session or an earlier one.
  bool is_admitted() const {
    return phase != GroupPhase::pending && phase != GroupPhase::completed;
  }
};

class Cluster;
// The marks that its annotations should show, and the text of its claims.
TargetMarks marks_of(const Cluster& cluster, const Job& job);
std::string claims_of(const Cluster& cluster, const Job& job);

// True for a group that waits because no scheduler claims it.
inline bool waits_unclaimed(const Job& job) {
  return job.exists && job.owner == GroupOwner::unclaimed && job.phase != GroupPhase::completed;
}
// The sentence about such groups, for people. Names are namespace/name.
std::string unclaimed_text(const std::vector<std::string>& names);

// The ignored fields: "spec.subGroupPolicy is not honoured; ...". Empty: none.
std::string not_honoured_text(const Job& job);

// The phase that follows from the states of its tasks, by the rules of docs/concepts.md.
GroupPhase derived_phase(const Job& job);

}  // namespace berth
