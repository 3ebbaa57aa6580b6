#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "berth/engine/session.h"

namespace berth::plugins {

// The demand of a queue for nodes of its own: rules NODES-1 to NODES-5 of
// docs/design/node-reservation.md; source: S3.
struct QueueDemand {
  QueueId queue;
  bool evicts = false;                // policy Guaranteed
  std::int64_t nodes = 0;             // this many; 0: amounts
  std::vector<Dimension> counts;      // what counts, by the names of the dimensions
  std::vector<std::int64_t> amounts;  // of those; 0 if it asks for nodes
  bool is_scaled = false;             // less than it could ask for is in force of its guarantee
  std::string clipped;                // the part without effect, and why; empty: none

  bool is_nothing() const { return counts.empty(); }
};

// Has the node some of each resource? Where nodes are asked for, only such a node is one.
bool has_some_of_each(const Cluster& cluster, NodeId node, const std::vector<Dimension>& counts);

// Of all queues that ask for nodes, in the order in which they choose. A queue without fault whose
// whole request has no effect is among them, for its text.
std::vector<QueueDemand> queue_demands(const engine::Session& session, bool only_with_policy);

}  // namespace berth::plugins
