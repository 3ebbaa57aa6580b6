#include "engine/idle_room.h"

#include <algorithm>

#include "berth/engine/fit.h"
#include "berth/engine/session.h"
#include "engine/memory.h"

namespace berth::engine {

std::vector<QueueId> queues_to_ask(const Cluster& cluster, JobId job) {
  std::vector<QueueId> queues;
  if (cluster.locks().for_queues() > 0) queues = cluster.queues_with_nodes(cluster.queue_of(job));
  queues.emplace_back();
  return queues;
}

namespace {

bool does_fit(Session& session, const Shape& shape, NodeId node) {
  if (!shape.has_relations()) return true;
  return !is_outside(session.start(), session.cluster(), shape, node) &&
         check_vetoes(session, shape, node) && fits_beside(session, shape, node);
}

// Pods with host ports are not on one node.
template <class View>
std::int32_t pods_on(const View& view, const Shape& shape, NodeId node) {
  const std::int32_t pods = room_for(view, shape, node);
  return shape.has_host_ports ? std::min(pods, 1) : pods;
}

}  // namespace

NodeId best_within(Session& session, const Within& within, ShapeId id, JobId job) {
  const Shape& shape = session.cluster().shape(id);
  for (const QueueId queue : queues_to_ask(session.cluster(), job)) {
    const Ranking& ranking = session.memory().ranking_by_wishes(session, id, job, queue);
    for (const std::vector<NodeId>& group : within.groups) {
      NodeId best;
      for (const NodeId node : group) {
        const std::int32_t score = ranking.score(node);
        if (score == kUnfit || (best.is_valid() && score <= ranking.score(best))) continue;
        if (does_fit(session, shape, node)) best = node;
      }
      if (best.is_valid()) return best;
    }
  }
  return NodeId();
}

IdleRoom::IdleRoom(Session& session, ShapeId shape, JobId job, QueueId queue)
    : session_(session),
      shape_(session.cluster().shape(shape)),
      ranking_(session.memory().ranking_by_wishes(session, shape, job, queue)) {}

std::int32_t IdleRoom::on(NodeId node) const {
  if (ranking_.score(node) == kUnfit || !does_fit(session_, shape_, node)) return 0;
  return pods_on(IdleNow{session_.cluster()}, shape_, node);
}

std::vector<std::int32_t> idle_room(Session& session, ShapeId id, JobId job,
                                    std::span<const NodeId> nodes) {
  std::vector<std::int32_t> room(nodes.size(), 0);
  for (const QueueId queue : queues_to_ask(session.cluster(), job)) {
    const IdleRoom there(session, id, job, queue);
    for (std::size_t i = 0; i < nodes.size(); ++i) room[i] += there.on(nodes[i]);
  }
  return room;
}

bool is_common(const Cluster& cluster, ShapeId shape, JobId job) {
  const bool is_target = cluster.job(job).election && cluster.locks().for_targets() > 0;
  return !is_target && cluster.locks().for_queues() == 0 && !cluster.shape(shape).has_relations();
}

std::vector<std::int32_t> future_room(Session& session, ShapeId id, JobId job,
                                      std::span<const NodeId> nodes) {
  const Cluster& cluster = session.cluster();
  const Shape& shape = cluster.shape(id);
  std::vector<std::int32_t> room(nodes.size(), 0);
  const std::vector<std::uint8_t>& passing = session.passing(id);
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    if (passing[nodes[i].index()] == 0 || !session.is_open_to(nodes[i], job)) continue;
    room[i] = pods_on(OnceVacated{cluster}, shape, nodes[i]);
  }
  return room;
}

}  // namespace berth::engine
