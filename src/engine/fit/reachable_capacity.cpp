#include "engine/fit/reachable_capacity.h"

namespace berth::engine {

ReachableCapacity::ReachableCapacity(const Cluster& cluster)
    : cluster_(cluster),
      dimensions_(cluster.dimensions().size()),
      rooms_(cluster.node_count() * dimensions_) {
  for (std::size_t n = 0; n < cluster.node_count(); ++n) {
    for (std::size_t d = 0; d < dimensions_; ++d) {
      rooms_[n * dimensions_ + d] = cluster.allocatable().at(NodeId(n), Dimension(d)) -
                                    cluster.staying().at(NodeId(n), Dimension(d));
    }
  }
}

void ReachableCapacity::take_in_nobody() {
  if (job_.is_valid()) count(cluster_.job(job_), +1);
  job_ = JobId();
}

void ReachableCapacity::take_in(const Job& job) {
  take_in_nobody();
  job_ = job.id;
  count(job, -1);
}

void ReachableCapacity::take_off(NodeId node, const Shape& shape) {
  for (const auto& [dimension, amount] : shape.requested) {
    rooms_[node.index() * dimensions_ + dimension.index()] -= amount;
  }
}

void ReachableCapacity::count(const Job& job, int sign) {
  for (const TaskId id : job.tasks) {
    const Task& task = cluster_.task(id);
    if (!task.node.is_valid() || task.never_leaves || !occupies_node(task.status)) continue;
    for (const auto& [dimension, amount] : cluster_.shape(task.shape).requested) {
      rooms_[task.node.index() * dimensions_ + dimension.index()] += sign * amount;
    }
  }
}

}  // namespace berth::engine
