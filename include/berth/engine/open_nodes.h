#pragma once

#include <cstdint>
#include <vector>

#include "berth/model/cluster.h"

namespace berth::engine {

// Takes no more pods: cordoned, or its kubelet is not heard of.
bool is_closed(const Node& node);

// What the nodes have that take pods, and what is used there. Looks at nodes only when one of them
// has changed.
class OpenNodes {
 public:
  void refresh(const Cluster& cluster);
  std::int64_t allocatable(Dimension d) const { return allocatable_[d]; }
  std::int64_t used(Dimension d) const { return used_[d]; }

 private:
  std::uint64_t spec_version_ = 0;  // of what was looked at; 0: nothing
  std::uint64_t position_ = 0;
  std::vector<NodeId> closed_;
  Resources allocatable_;
  Resources used_;
};

// The most that one node has idle which takes pods and is locked for nobody but, where one is
// given, this job.
std::int64_t largest_piece(const Cluster& cluster, Dimension d, JobId job = JobId());

}  // namespace berth::engine
