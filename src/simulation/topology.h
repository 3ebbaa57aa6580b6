#pragma once

#include <vector>

#include "berth/base/result.h"
#include "berth/model/event.h"
#include "conf/config.h"
#include "views/topology_overview.h"

namespace berth::simulation {

struct TopologyRequest {
  std::vector<ClusterEvent> objects;  // no deletions
  conf::Config config;
};

// The topologies of these objects as they are, without a session. Reads no clock and no file. An
// Error if two pods have one uid.
Result<views::TopologyOverview> show_topologies(const TopologyRequest& request);

}  // namespace berth::simulation
