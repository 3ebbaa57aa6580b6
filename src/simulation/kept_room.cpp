#include "simulation/kept_room.h"

#include <algorithm>

namespace berth::simulation {

double idle_part(const Cluster& cluster, NodeId node) {
  const Resources& has = cluster.node(node).allocatable;
  double least = 1;
  for (std::size_t d = 0; d < has.extent(); ++d) {
    const Dimension dimension(d);
    if (dimension == kPods || dimension == kUnknown || has[dimension] <= 0) continue;
    const auto idle = static_cast<double>(cluster.idle().at(node, dimension));
    least = std::min(least, idle / static_cast<double>(has[dimension]));
  }
  return std::max(0.0, least);
}

namespace {

// A target that has started has its locks until the next session.
bool is_kept(const Cluster& cluster, NodeId node) {
  if (cluster.locks().queue(node).is_valid()) return true;
  const JobId target = cluster.locks().target(node);
  if (!target.is_valid()) return false;
  const Job& job = cluster.job(target);
  return job.placed_count() < job.min_available;
}

}  // namespace

void KeptRoom::look_at(const Cluster& cluster) {
  idle_ = 0;
  if (!cluster.locks().are_any()) return;
  for (std::size_t n = 0; n < cluster.node_count(); ++n) {
    if (is_kept(cluster, NodeId(n))) idle_ += idle_part(cluster, NodeId(n));
  }
}

void KeptRoom::pass(Duration time) {
  node_seconds_ += idle_ * std::chrono::duration<double>(time).count();
}

}  // namespace berth::simulation
