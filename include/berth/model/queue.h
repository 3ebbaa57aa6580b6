#pragma once

#include <optional>
#include <string>
#include <vector>

#include "berth/base/clock.h"
#include "berth/base/strong_id.h"
#include "berth/model/namespaces.h"
#include "berth/model/objects.h"
#include "berth/model/queue_nodes.h"
#include "berth/model/resources.h"

namespace berth {

// A tenant's line of jobs.
struct Queue {
  QueueId id;  // its own
  std::string name;
  std::string uid;
  TimePoint created;
  bool exists = false;  // false: the id is free
  std::int32_t weight = 1;
  std::int32_t priority = 0;
  bool is_reclaimable = true;
  std::string parent;  // empty or "root": none
  QueueId above;       // that queue; invalid: none, or it does not exist
  QueueState state = QueueState::open;
  ResourceLimits capability;
  Resources guarantee;  // as written; engine/queue_tree.h has the part in force
  std::vector<Dimension> guarantee_share_of;  // S3: also this part of the cluster, of these
  std::int32_t guarantee_share_billionths = 0;
  bool names_policy = false;     // S3: guarantee.policy is written
  bool guarantees_hard = false;  // others leave for it, even without a claimant
  ResourceLimits deserved;       // bounds its share while others ask for more
  bool is_fifo = false;          // a job that cannot start blocks later jobs
  NamespaceSelector namespaces;  // whose jobs it serves
  // Annotations; none: those of the queue above count (RUNTIME-2).
  std::optional<Duration> preempt_min_run_time, reclaim_min_run_time;
  std::optional<Duration> default_time_limit, max_time_limit;  // annotations; likewise (TIME-3)
  std::vector<std::string> not_honoured;                       // written fields without effect
  std::string fault;                                           // the fault in its spec; empty: none
  NodeChoice node_choice;                                      // of nodes of its own
  Resources allocated;  // by tasks of its jobs that are_allocated
  Resources demand;     // by tasks of its jobs, placed or waiting
};

// True for equal specs: names, weights and bounds. Identity and use do not count.
bool same_spec(const Queue& left, const Queue& right);

}  // namespace berth
