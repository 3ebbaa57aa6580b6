#pragma once

#include "berth/model/topology_objects.h"
#include "berth/model/topology_wish.h"
#include "support/scene_line.h"

namespace berth::support {

// "topology gpu levels=block,rack"
TopologyObject read_topology(SceneLine& line);

// together=block,rack?,4*host,rack@set of `job` and `task`: in one block, if possible in one rack,
// each four on one host, and those of one set in one rack.
TopologyWish read_wish(SceneLine& line, bool is_of_pods);

}  // namespace berth::support
