#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "berth/base/strong_id.h"
#include "berth/model/objects.h"
#include "berth/model/reason.h"

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
  JobId beneficiary;
  std::string_view action;  // static storage
  bool operator==(const PlannedEviction&) const = default;
};

// How many nodes refused a task for one reason.
struct NodeRefusals {
  Reason reason = Reason::none;
  std::string what;  // the resource, for insufficient_resource
  std::int32_t nodes = 0;
  bool operator==(const NodeRefusals&) const = default;
};

struct Refusal {
  JobId job;
  Reason reason = Reason::none;
  std::int64_t have = 0;
  std::int64_t need = 0;
  std::string what;
  TaskId task;                      // the first that found no node; invalid: not about a task
  std::vector<NodeRefusals> nodes;  // why each node refused that task; most first
  std::int32_t node_count = 0;
  std::uint32_t binds_before = 0;  // how many of Plan::binds were decided before
  // The same word on the same job; when it was said does not count.
  bool operator==(const Refusal& other) const;

  // "2 of 3 members could be placed; 0/4 nodes fit ns/pod-2: 3 insufficient cpu, 1 ..."
  std::string message(const std::string& task_name) const;
};

struct Plan {
  std::vector<Placement> binds;
  std::vector<Placement> pipelined;  // claims on room being vacated, or held for a whole gang
  std::vector<PlannedEviction> evictions;
  std::vector<JobId> admitted;    // phase Pending -> Inqueue
  std::vector<Refusal> refusals;  // at most one a job, the last word on it
  bool operator==(const Plan&) const = default;
};

}  // namespace berth
