#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "berth/base/strong_id.h"
#include "berth/model/cause.h"
#include "berth/model/claim.h"
#include "berth/model/objects.h"
#include "berth/model/queue_nodes.h"
#include "berth/model/reservation.h"
#include "berth/model/spared.h"

// The decisions of a session, as a value: intents for the adapters to carry out, and the reason of
// every job that waits. Ids are those of the cluster that the session read. Lists are in the order
// of decision.

namespace berth {

class Cluster;

struct Placement {
  TaskId task;
  NodeId node;
  bool operator==(const Placement&) const = default;
};

// As what a pod is evicted: the label of the metric.
enum class EvictedAs : std::uint8_t {
  surplus,       // its job keeps its minimum
  whole_job,     // all pods of its job leave
  lower_member,  // for a member of its own job that has a higher priority
  unready_job,   // its job has lost its minimum, and only holds room
};
// "surplus"
const char* to_string(EvictedAs as);

struct PlannedEviction {
  TaskId task;
  NodeId node;
  JobId beneficiary;        // invalid: it must leave without a beneficiary
  std::string_view action;  // static storage
  EvictedAs as = EvictedAs::surplus;
  std::string why = {};  // for people: why this pod and not another
  QueueId queue = {};    // valid: it leaves a node of this queue, for the queue itself
  bool operator==(const PlannedEviction&) const = default;

  // The job or queue that it leaves for: "ns/job", "queue NAME", or empty.
  std::string beneficiary_name(const Cluster& cluster) const;
  // "by preempt for ns/job: it is surplus of ..."
  std::string text(const Cluster& cluster) const;
  // The same for the users of the pod: "by preempt for a job of another namespace: ..."
  std::string text_for_victim(const Cluster& cluster) const;

 private:
  std::string text(const std::string& name) const;
};

// The result of an evicting action for a job that waits, and for which it evicts nobody.
struct ConsideredEvictions {
  JobId job;
  std::string_view action;      // static storage
  Cause why;                    // why evictions would not help
  std::int32_t candidates = 0;  // pods that could leave for it
  std::vector<Spared> spared;   // pods that may not; most first
  bool operator==(const ConsideredEvictions&) const = default;

  // "preempt evicts nobody for it: no pod may be evicted for it; 3 stay: their jobs would have ..."
  std::string text() const;
  // The cause that somebody can change, without numbers, so that it stays the same while these
  // change. Empty: there is none.
  std::string short_text() const;
};

// The number of nodes that refused a task for one reason.
struct NodeRefusals {
  Reason reason = Reason::none;
  std::string what;  // the resource, for insufficient_resource
  std::int32_t nodes = 0;
  std::int64_t have = 0;  // of an insufficient resource: the most that one of these nodes has idle
  std::int64_t need = 0;  // of it
  bool operator==(const NodeRefusals&) const = default;

  // "4 insufficient cpu (2 needed, at most 1.5 idle)"
  std::string text() const;
};

struct Refusal : Cause {
  JobId job;
  TaskId task;                      // the first that found no node; invalid: not about a task
  std::vector<NodeRefusals> nodes;  // why each node refused that task; most first
  std::int32_t node_count = 0;
  std::vector<std::string> evictions = {};  // why none would help, if somebody can change that
  std::string turn = {};                    // why its turn comes late; mostly empty
  bool operator==(const Refusal&) const = default;

  // "2 of 3 members could be placed; 0/4 nodes fit ns/pod-2: 3 insufficient cpu, 1 ..."
  std::string message(const std::string& task_name) const;

 private:
  std::string nodes_text(const std::string& task_name) const;
};

// A queue's use of one resource beyond its share. A queue is overused if that is above 0 for any
// resource.
inline std::int64_t beyond_share(std::int64_t has, std::int64_t deserved) {
  return has > deserved ? has - deserved : 0;
}

// The amounts of each queue, from the plugin that divides the cluster (docs/design/queues.md). Row
// 0 is the whole cluster. Parents come before their children, which are neighbours, by name.
struct QueueShares {
  struct Row {
    QueueId queue;  // of row 0: invalid, unless there is a queue "root"
    std::uint32_t parent = 0;
    bool is_scaled = false;  // not all guarantees fit, and its own is reduced
    std::string fault;       // why its jobs must wait; empty: no fault
    bool operator==(const Row&) const = default;
  };
  using Amounts = std::vector<std::int64_t>;  // row * dimensions + dimension

  std::vector<Row> rows;
  std::size_t dimensions = 0;
  Amounts deserved;
  Amounts guarantee;                   // in force
  Amounts kept;                        // the part of the guarantee that no other queue may have now
  Amounts real_capability;             // the most it may have
  Amounts weights_below;               // of its children that deserve some, together
  std::vector<std::uint8_t> is_short;  // its exact deserved is a fraction of a unit more
  bool operator==(const QueueShares&) const = default;

  std::int64_t at(const Amounts& amounts, std::size_t row, Dimension d) const {
    return d.index() < dimensions ? amounts[row * dimensions + d.index()] : 0;
  }
};

// A job that waits and is to start then, as long as all keep their time limits (BEHIND-6).
struct PromisedStart {
  JobId job;
  TimePoint start;
  bool operator==(const PromisedStart&) const = default;
};

struct Plan {
  std::vector<Placement> binds;
  // All claims that stand after the session: on room being vacated, or held for a whole gang.
  std::vector<Placement> pipelined;
  std::vector<EndedClaims> ended_claims;
  std::vector<PlannedEviction> evictions;
  std::vector<ConsideredEvictions> considered;  // in vain; at most one for each job and action
  std::vector<JobId> admitted;                  // phase Pending -> Inqueue
  std::vector<JobId> returned;                  // phase Inqueue -> Pending
  std::vector<Refusal> refusals;                // at most one for each job, the last one
  // Of these, the jobs that need nothing but room, in the order of service. None: nobody asked.
  std::optional<std::vector<JobId>> order;
  std::vector<PromisedStart> promises;    // all there are after the session, by start
  std::vector<Reservation> reservations;  // all there are after the session, by election
  std::vector<EndedReservation> ended;
  std::vector<QueueNodes> queue_nodes;               // all there are after the session
  std::vector<QueueReservation> queue_reservations;  // by the names of the queues
  bool has_relocked = false;                         // the nodes of queues were chosen anew
  std::shared_ptr<const QueueShares> shares;         // null: no plugin divides the cluster
  bool evicts = false;             // a configured action makes room for hard guarantees
  bool reclaims = false;           // action reclaim: it makes room on nodes of queues
  bool elects = false;             // action elect: nodes may be kept for jobs
  std::vector<std::string> notes;  // settings without effect; sorted
  // By the cluster's clock: until then, the next session decides the same without an event.
  TimePoint holds_until = TimePoint::max();
  bool operator==(const Plan& other) const;
};

}  // namespace berth
