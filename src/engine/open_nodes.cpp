#include "berth/engine/open_nodes.h"

#include <algorithm>

namespace berth::engine {

bool is_closed(const Node& node) {
  return node.is_unschedulable ||
         std::any_of(node.taints.begin(), node.taints.end(), [](const Taint& taint) {
           return taint.key == "node.kubernetes.io/not-ready" ||
                  taint.key == "node.kubernetes.io/unreachable" ||
                  taint.key == "node.kubernetes.io/unschedulable";
         });
}

void OpenNodes::refresh(const Cluster& cluster) {
  const bool is_known = spec_version_ == cluster.spec_version();
  if (is_known && position_ == cluster.changes().position()) return;
  position_ = cluster.changes().position();
  if (!is_known) {
    spec_version_ = cluster.spec_version();
    closed_.clear();
    for (std::size_t n = 0; n < cluster.node_count(); ++n) {
      if (is_closed(cluster.node(NodeId(n)))) closed_.emplace_back(n);
    }
  }
  allocatable_ = cluster.total_allocatable();
  used_ = cluster.total_used();
  // Usage beyond the allocatable of a node does not count against other nodes.
  for (std::size_t i = 0; i < cluster.dimensions().size(); ++i) {
    const std::int64_t* idle = cluster.idle().column(Dimension(i));
    for (std::size_t n = 0; n < cluster.node_count(); ++n) {
      if (idle[n] < 0) used_.add(Dimension(i), idle[n]);
    }
  }
  for (const NodeId node : closed_) {
    for (std::size_t i = 0; i < cluster.dimensions().size(); ++i) {
      const Dimension d(i);
      const std::int64_t has = cluster.allocatable().at(node, d);
      allocatable_.add(d, -has);
      used_.add(d, std::max<std::int64_t>(0, cluster.idle().at(node, d)) - has);
    }
  }
}

std::int64_t largest_piece(const Cluster& cluster, Dimension d, QueueId queue) {
  std::int64_t most = 0;
  const std::int64_t* available = cluster.available().column(d);
  for (std::size_t n = 0; n < cluster.node_count(); ++n) {
    // The amount first: the other checks cost more, and few nodes exceed all before them.
    if (available[n] <= most || is_closed(cluster.node(NodeId(n)))) continue;
    if (cluster.locks().target(NodeId(n)).is_valid()) continue;
    if (!cluster.queue_in_the_way(NodeId(n), queue).is_valid()) most = available[n];
  }
  return most;
}

}  // namespace berth::engine
