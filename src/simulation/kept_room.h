#pragma once

#include "berth/base/clock.h"
#include "berth/model/cluster.h"

namespace berth::simulation {

// RESULT-15. The idle part of a node: what of its scarcest resource is idle. "pods" is none.
double idle_part(const Cluster& cluster, NodeId node);

// Measures idle room on nodes that are locked for a target or a queue, over time.
class KeptRoom {
 public:
  void look_at(const Cluster& cluster);  // as it is from now on
  void pass(Duration time);
  double node_seconds() const { return node_seconds_; }

 private:
  double idle_ = 0;  // in nodes
  double node_seconds_ = 0;
};

}  // namespace berth::simulation
