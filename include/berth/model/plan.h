#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "berth/base/strong_id.h"
#include "berth/model/cause.h"
#include "berth/model/claim.h"
#include "berth/model/objects.h"
#include "berth/model/reservation.h"

// What a session decided, as a value: intents for the edges to carry out, and for every job that
// waits, why. Ids are those of the cluster the session read; lists are in the order of decision.

namespace berth {

struct Placement {
  TaskId task;
  NodeId node;
  bool operator==(const Placement&) const = default;
};

struct PlannedEviction {
  TaskId task;
  NodeId node;
  JobId beneficiary;        // invalid: it must leave, whoever comes
  std::string_view action;  // static storage
  bool operator==(const PlannedEviction&) const = default;
};

// How many nodes refused a task for one reason.
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
  bool operator==(const Refusal&) const = default;

  // "2 of 3 members could be placed; 0/4 nodes fit ns/pod-2: 3 insufficient cpu, 1 ..."
  std::string message(const std::string& task_name) const;
};

// What a queue has beyond its share of one resource: what others have to wait for, or take from
// first. A queue is overused if that is above 0 for any resource.
inline std::int64_t beyond_share(std::int64_t has, std::int64_t deserved) {
  return has > deserved ? has - deserved : 0;
}

// What each queue may have; made by the plugin that divides the cluster (docs/design/queues.md).
// Row 0 is the whole cluster; parents come before their children, which are neighbours, by name.
struct QueueShares {
  struct Row {
    QueueId queue;  // of row 0: invalid, unless there is a queue "root"
    std::uint32_t parent = 0;
    bool is_scaled = false;  // its guarantee is not in force in full: all together are too much
    std::string fault;       // why its jobs have to wait; empty: nothing
    bool operator==(const Row&) const = default;
  };
  using Amounts = std::vector<std::int64_t>;  // row * dimensions + dimension

  std::vector<Row> rows;
  std::size_t dimensions = 0;
  Amounts deserved;
  Amounts guarantee;                   // in force
  Amounts kept;                        // of the guarantee, what nobody else may have now
  Amounts real_capability;             // never more than this
  std::vector<std::uint8_t> is_short;  // its exact deserved is a part of a unit more
  bool operator==(const QueueShares&) const = default;

  std::int64_t at(const Amounts& amounts, std::size_t row, Dimension d) const {
    return d.index() < dimensions ? amounts[row * dimensions + d.index()] : 0;
  }
};

struct Plan {
  std::vector<Placement> binds;
  // All claims that stand after the session: on room being vacated, or held for a whole gang.
  std::vector<Placement> pipelined;
  std::vector<EndedClaims> ended_claims;
  std::vector<PlannedEviction> evictions;
  std::vector<JobId> admitted;            // phase Pending -> Inqueue
  std::vector<JobId> returned;            // phase Inqueue -> Pending
  std::vector<Refusal> refusals;          // at most one a job, the last word on it
  std::vector<Reservation> reservations;  // all there are after the session, by election
  std::vector<EndedReservation> ended;
  std::shared_ptr<const QueueShares> shares;  // null: nobody divides the cluster
  bool evicts = false;             // an action is configured that makes room for hard guarantees
  std::vector<std::string> notes;  // what is configured and has no effect; sorted
  bool operator==(const Plan& other) const;
};

}  // namespace berth
