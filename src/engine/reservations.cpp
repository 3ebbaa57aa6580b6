#include "berth/engine/reservations.h"

#include <algorithm>

#include "berth/engine/need.h"
#include "engine/bins.h"

namespace berth::engine {

namespace {

std::vector<Reservation::Missing> missing_on(const Cluster& cluster, const Need& need,
                                             const std::vector<NodeId>& nodes) {
  std::vector<Reservation::Missing> missing;
  for (std::size_t d = 0; d < need.request.extent(); ++d) {
    const Dimension dimension(d);
    std::int64_t idle = 0;
    for (const NodeId node : nodes) {
      idle =
          saturated_sum(idle, std::max<std::int64_t>(0, cluster.available().at(node, dimension)));
    }
    if (idle < need.request[dimension])
      missing.push_back({dimension, idle, need.request[dimension]});
  }
  std::sort(missing.begin(), missing.end(), [&](const auto& left, const auto& right) {
    return cluster.dimensions().name(left.dimension) < cluster.dimensions().name(right.dimension);
  });
  return missing;
}

}  // namespace

std::optional<TimePoint> first_lock(const Cluster& cluster, const std::vector<NodeId>& locked) {
  std::optional<TimePoint> first;
  for (const NodeId node : locked) {
    const TimePoint since = cluster.node(node).lock.since;
    first = std::min(first.value_or(since), since);
  }
  return first;
}

std::vector<TaskId> tasks_before_target(const Cluster& cluster, const Job& target) {
  std::vector<TaskId> tasks;
  for (const NodeId node : cluster.locks().nodes_of(target.id)) {
    for (const TaskId id : cluster.node(node).tasks) {
      const Task& task = cluster.task(id);
      const bool is_of_another = task.job.is_valid() && task.job != target.id;
      if (is_of_another && !task.never_leaves && is_allocated(task.status)) tasks.push_back(id);
    }
  }
  return tasks;
}

namespace {

// All but its terms, which depend on the time.
Reservation describe_state(Session& session, const Job& job) {
  const Cluster& cluster = session.cluster();
  Reservation reservation;
  reservation.job = job.id;
  reservation.election = *job.election;
  reservation.nodes = cluster.locks().nodes_of(job.id);
  reservation.locked_since = first_lock(cluster, reservation.nodes);
  Need need = need_of(session, job);
  reservation.missing = missing_on(cluster, need, reservation.nodes);
  ReachableCapacity reachable(cluster);
  reachable.take_in(job);
  reservation.is_covered = Bins(session, reservation.nodes, reachable).fill(need).is_whole;
  return reservation;
}

}  // namespace

Reservation describe_reservation(Session& session, JobId target) {
  const Job& job = session.cluster().job(target);
  auto& known = session.worked_out(target).reservation;
  if (!known) known = describe_state(session, job);
  Reservation reservation = *known;
  session.ask(points::reservation_terms, job, &reservation);
  return reservation;
}

}  // namespace berth::engine
