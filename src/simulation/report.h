#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "berth/base/clock.h"
#include "berth/model/cluster.h"
#include "berth/model/objects.h"
#include "berth/model/plan.h"
#include "views/lost_work.h"
#include "views/queue_table.h"
#include "views/reservation_table.h"

// The result of `berth plan` as a value. Names are namespace/name. All lists are sorted by their
// first field as bytes, except queues, which are in tree order. Equal plans give equal bytes.

namespace berth::simulation {

struct PlacementRow {
  std::string pod;
  std::string job;
  std::string node;
  std::size_t order = 1;  // in which the session placed them, from 1
};

struct EvictionRow {
  std::string pod;
  std::string job;
  std::string node;
  std::string action;
  std::string beneficiary;     // a job; empty: none
  std::string as;              // "surplus"
  std::string why;             // why this pod and not another; may be empty
  std::string for_queue = {};  // it leaves a node of this queue, for the queue itself; or empty

  // "ml/b", "queue vision", or empty.
  std::string for_text() const { return for_queue.empty() ? beneficiary : "queue " + for_queue; }
};

// The findings of an action that evicts nobody for a job.
struct ConsideredRow {
  std::string job;
  std::string action;
  std::string reason;   // a code of reason.cpp
  std::string message;  // the whole text
};

// A job after the plan of its cycle is carried out.
struct JobRow {
  std::string job;
  std::string queue;
  GroupPhase phase = GroupPhase::pending;
  std::int32_t priority = 0;
  TimePoint first_seen;
  std::int32_t min_available = 1;
  std::int32_t placed = 0;   // tasks that have a place or have done their work
  std::int32_t waiting = 0;  // tasks without a place
  std::string reason;        // a code of reason.cpp; empty: nothing is missing
  std::string message;       // its sentence, and a note if the plan is only a hint
};

// A node that is kept for a target, or for a queue. For both: two rows.
struct LockRow {
  std::string node;
  std::string job;    // the target; or empty
  std::string queue;  // or the queue
  TimePoint since;
  bool operator==(const LockRow&) const = default;
};

// A target that has ended.
struct EndedRow {
  std::string job;
  std::string how;  // "started", "given-up"
  std::string why;  // the cause if it is impossible; else empty
};

struct CycleReport {
  std::size_t cycle = 1;
  TimePoint now;
  std::vector<PlacementRow> binds;
  std::vector<PlacementRow> pipelined;
  std::vector<EvictionRow> evictions;
  std::vector<ConsideredRow> considered;  // in vain
  std::vector<JobRow> jobs;
  views::QueueTable queues;
  views::ReservationTable reservations;
  std::vector<LockRow> locks;
  std::vector<EndedRow> ended;
  std::vector<std::string> notes;  // settings without effect
};

// One pod of the explained job.
struct TaskRow {
  std::string pod;
  std::string status;  // "Running"
  std::string node;    // empty: none
  std::string why;     // why it has no place; may be empty
};

struct RoleRow {
  std::string role;
  std::int32_t minimum = 0;
  std::int32_t placed = 0;
};

// A job before the explained one in line.
struct AheadRow {
  std::string job;
  std::int32_t priority = 0;
  std::int32_t placed = 0;  // its pods that got places in this cycle
};

// A target, or a queue, whose nodes the explained job may not use.
struct KeptRow {
  std::string job;                 // the target; or empty
  std::string queue;               // or the queue
  std::vector<std::string> nodes;  // by name
};

// An eviction of one of the cycles.
struct PastEviction {
  std::size_t cycle = 1;
  EvictionRow eviction;
};

// One job in full, in its last cycle; or one pod of it.
struct Explanation {
  std::size_t cycle = 1;
  std::string pod;  // only this one; empty: all
  JobRow job;
  std::optional<TimeLimit> time_limit;  // of its pod that may run longest; none: for ever
  std::vector<RoleRow> roles;
  std::vector<TaskRow> tasks;  // in the job's order
  // Its line at the start of the cycle: for admission, or for places.
  std::vector<AheadRow> ahead;  // in their order
  std::size_t in_line = 0;      // the length of that line; 0: the job did not wait
  bool is_for_admission = false;
  // The missing resources, and remedies that were tried. Empty if nothing is missing.
  std::vector<std::string> missing;
  std::vector<std::string> remedies;
  std::optional<views::ReservationTable::Row> target;  // its reservation, if it is a target
  std::vector<KeptRow> blocked_by;
  // Of all cycles up to this one: its pods that were evicted, and the pods that were for it.
  std::vector<PastEviction> evicted;
  std::vector<PastEviction> makes_room;
  std::vector<ConsideredRow> considered;  // evictions that would not help it, in this cycle
};

// A job over all cycles; jobs that ran from the start are left out.
struct WaitRow {
  std::string job;
  TimePoint first_seen;
  std::optional<std::size_t> started;  // the cycle that placed its minimum; none: it still waits
  std::size_t cycles = 0;              // the number of cycles in which it waited
  Duration time{};                     // from first_seen to its start, or to the end of all cycles
  std::optional<std::size_t> elected;  // the cycle of its first election
  std::string ended;                   // how it ended as a target
  bool is_known = true;
};

// All cycles together, for tuning reservations and evictions.
struct Summary {
  static constexpr std::int32_t kWhole = 10'000;

  std::size_t cycles = 0;
  std::vector<WaitRow> waits;  // by job
  views::RoomTimes held;
  std::map<std::string, std::int32_t> utilisation;  // of each resource, in parts of kWhole
  // By evictions, of all that pods of ours have done; of each resource, in parts of kWhole.
  std::map<std::string, std::int32_t> lost_work;
  views::EvictedByAge evicted{};
  // Of each extended resource that pods ask for, the part that was idle on nodes where none of them
  // fits (views::IdleRoom); in parts of kWhole.
  std::map<std::string, std::int32_t> useless;
};

struct Report {
  std::size_t node_count = 0;
  std::vector<std::string> unclaimed;  // pod groups without a scheduler; namespace/name, sorted
  std::vector<CycleReport> cycles;
  Summary summary;
  std::optional<Explanation> explanation;
};

// `after` is the cluster with the plan carried out, so that the plan's ids are valid.
CycleReport record_cycle(std::size_t number, TimePoint now, const Plan& plan, const Cluster& after);

// One job's row. `refusal` is the plan's refusal of the job, or null.
JobRow record_job(JobId id, const Plan& plan, const Refusal* refusal, const Cluster& after);

// The next thing that a job waits for, if no action of the session considered it; empty: unknown.
std::string why_not_reached(JobId id, const Plan& plan, const Cluster& cluster);

// "4 cpu, 16Gi memory"
std::string to_text(const NamedAmounts& amounts);

}  // namespace berth::simulation
