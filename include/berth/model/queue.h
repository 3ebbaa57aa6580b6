#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "berth/base/clock.h"
#include "berth/base/strong_id.h"
#include "berth/model/namespaces.h"
#include "berth/model/objects.h"
#include "berth/model/queue_nodes.h"
#include "berth/model/resources.h"

namespace berth {

inline constexpr std::string_view kRootQueue = "root";  // it has none above it

// A tenant's line of jobs.
struct Queue : QueueSpec {
  QueueId id;           // its own
  bool exists = false;  // false: the id is free
  bool is_reclaimable = true;
  QueueId above;  // its parent; invalid: none, or it does not exist
  ResourceLimits capability;
  Resources guarantee;  // as written; engine/queue_tree.h has the part in force
  std::vector<Dimension> guarantee_share_of;
  ResourceLimits deserved;  // bounds its share while others ask for more
  NodeChoice node_choice;   // of nodes of its own
  Resources allocated;      // by tasks of its jobs that are_allocated
  Resources demand;         // by tasks of its jobs, placed or waiting
};

// True for equal specs: names, weights and bounds. Identity and use do not count.
bool same_spec(const Queue& left, const Queue& right);

}  // namespace berth
