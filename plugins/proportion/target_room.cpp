#include "plugins/proportion/target_room.h"

#include <algorithm>

namespace berth::plugins {

using namespace engine;

namespace {

bool is_at_or_below(const QueueTree& tree, std::uint32_t at, std::uint32_t top) {
  if (at == QueueTree::kNowhere) return false;
  while (at > top) at = tree.member(at).parent;
  return at == top;
}

// The usage on these nodes, by other jobs of the queue at this position or below it, that will end.
std::int64_t given_up_on(const Session& session, const LockableNodes& lockable,
                         std::uint32_t position, Dimension d) {
  const Cluster& cluster = session.cluster();
  std::int64_t sum = 0;
  for (const NodeId node : lockable.nodes) {
    for (const TaskId id : cluster.node(node).tasks) {
      const Task& task = cluster.task(id);
      if (!is_allocated(task.status) || task.never_leaves || !task.job.is_valid()) continue;
      const QueueId queue = cluster.job(task.job).queue;
      if (task.job == lockable.target.id || !queue.is_valid()) continue;
      if (!is_at_or_below(session.queues(), session.queues().position_of(queue), position)) {
        continue;
      }
      sum = saturated_sum(sum, cluster.shape_of(id).request[d]);
    }
  }
  return sum;
}

}  // namespace

Verdict room_for_target(const Session& session, const QueueShares& shares,
                        const UnmetGuarantees& unmet, TargetClaims& claims,
                        const LockableNodes& lockable) {
  const QueueTree& tree = session.queues();
  const Resources& request = lockable.need.request;
  for (std::uint32_t at = tree.position_of(lockable.target.queue); at != 0;
       at = tree.member(at).parent) {
    for (std::size_t i = 0; i < request.extent(); ++i) {
      const Dimension d(i);
      const std::int64_t most = shares.at(shares.real_capability, at, d);
      // Where only the nodes are a bound, the check of the nodes refuses.
      if (request[d] <= 0 || most >= tree.total(d)) continue;
      std::int64_t has = unmet.has(at, d);
      for (const TargetPart& part : claims.parts(session, at, d, lockable.target.id)) {
        has = saturated_sum(has, part.amount);
      }
      // Nodes are looked at only where it matters.
      const std::int64_t room = most - has;
      if (request[d] <= room) continue;
      if (request[d] <= saturated_sum(room, given_up_on(session, lockable, at, d))) continue;
      return reject(Reason::queue_capability, std::max<std::int64_t>(0, room), request[d],
                    session.cluster().dimensions().name(d));
    }
  }
  return pass();
}

}  // namespace berth::plugins
