#pragma once

#include <cstdint>
#include <vector>

#include "berth/model/cluster.h"

namespace berth::engine {

// True if the node takes no more pods: it is cordoned, or its kubelet is silent.
bool is_closed(const Node& node);

// The room and the use of the nodes that take pods. Looks at nodes only after a change.
class OpenNodes {
 public:
  void refresh(const Cluster& cluster);
  std::int64_t allocatable(Dimension d) const { return allocatable_[d]; }
  std::int64_t used(Dimension d) const { return used_[d]; }

 private:
  std::uint64_t spec_version_ = 0;  // of the nodes as last read; 0: never
  std::uint64_t position_ = 0;
  std::vector<NodeId> closed_;
  Resources allocatable_;
  Resources used_;
};

// The largest idle amount on one open node without a lock, except for the nodes of `queue`.
std::int64_t largest_piece(const Cluster& cluster, Dimension d, QueueId queue);

}  // namespace berth::engine
