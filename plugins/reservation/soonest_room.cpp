#include "plugins/reservation/soonest_room.h"

#include <algorithm>

#include "berth/model/time_limit.h"
#include "plugins/reservation/node_cover.h"

namespace berth::plugins {

using namespace engine;

namespace {

struct Stay {
  TimePoint until;
  NodeId node;
  ShapeId shape;
};

// Of pods that end, the first to end first. Of the others, the room does not count anyway.
std::vector<Stay> stays_on(const Session& session, const std::vector<NodeId>& nodes, JobId own) {
  const Cluster& cluster = session.cluster();
  std::vector<Stay> stays;
  for (const NodeId node : nodes) {
    for (const TaskId id : cluster.node(node).tasks) {
      const Task& task = cluster.task(id);
      if (!occupies_node(task.status) || task.never_leaves || task.job == own) continue;
      stays.push_back({gone_by(cluster, task, session.now()), node, task.shape});
    }
  }
  std::sort(stays.begin(), stays.end(),
            [](const Stay& left, const Stay& right) { return left.until < right.until; });
  return stays;
}

}  // namespace

std::optional<ReachableCapacity> soonest_room(Session& session, JobId job, const Need& need,
                                              const ReachableCapacity& reachable,
                                              const std::vector<NodeId>& nodes) {
  const std::vector<Stay> stays = stays_on(session, nodes, job);
  const auto room_at = [&](TimePoint time) {
    ReachableCapacity room = reachable;
    for (auto each = stays.rbegin(); each != stays.rend() && each->until > time; ++each) {
      room.take_off(each->node, session.cluster().shape(each->shape));
    }
    return room;
  };
  std::vector<TimePoint> times{session.now()};
  for (const Stay& each : stays) {
    if (each.until != TimePoint::max() && each.until != times.back()) times.push_back(each.until);
  }
  // Room only grows.
  const auto soonest = std::partition_point(times.begin(), times.end(), [&](TimePoint time) {
    return !covers(session, need, room_at(time), nodes);
  });
  if (soonest == times.end()) return std::nullopt;
  return room_at(*soonest);
}

}  // namespace berth::plugins
