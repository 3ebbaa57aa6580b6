#include "simulation/topology.h"

#include "simulation/cluster_copy.h"
#include "simulation/names.h"
#include "simulation/simulation.h"
#include "simulation/trial.h"

namespace berth::simulation {

Result<views::TopologyOverview> show_topologies(const TopologyRequest& request) {
  if (const Status distinct = require_distinct_uids(request.objects); !distinct) {
    return distinct.error();
  }
  const TimePoint now = start_of(request.objects);
  ClusterCopy copy(request.objects, mirror_options(request.config), now);
  copy.begin_cycle(now);
  return views::make_topology_overview(copy.cluster());
}

}  // namespace berth::simulation
