#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "berth/engine/within.h"
#include "berth/model/cluster.h"

namespace berth::engine {

class Ranking;
class Session;

// NODES-16. The queues whose own nodes the job may use, its own first. Invalid, the last: nodes of
// no queue.
std::vector<QueueId> queues_to_ask(const Cluster& cluster, JobId job);

// The best node with idle room for a task of this shape, in the first group that has one. Of the
// nodes of the job's own queue first, then of those above it (NODES-16).
NodeId best_within(Session& session, const Within& within, ShapeId shape, JobId job);

// How many pods of the shape there is idle room for on each node of this queue, or of none, for
// this job. Until anything changes.
class IdleRoom {
 public:
  IdleRoom(Session& session, ShapeId shape, JobId job, QueueId queue);
  std::int32_t on(NodeId node) const;

 private:
  Session& session_;
  const Shape& shape_;
  const Ranking& ranking_;
};

// The same of each of these nodes that the job may use: now, or once those that leave have left.
std::vector<std::int32_t> idle_room(Session& session, ShapeId shape, JobId job,
                                    std::span<const NodeId> nodes);
std::vector<std::int32_t> future_room(Session& session, ShapeId shape, JobId job,
                                      std::span<const NodeId> nodes);
// Is idle_room() the same for every other job? No lock is for this one, and no relation counts.
bool is_common(const Cluster& cluster, ShapeId shape, JobId job);

}  // namespace berth::engine
