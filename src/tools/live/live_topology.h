#pragma once

#include <string>
#include <vector>

#include "berth/model/event.h"
#include "tools/live/api_reader.h"

namespace berth::tools {

// The objects that topologies are about.
struct TopologyObjects {
  std::vector<ClusterEvent> objects;
  std::vector<std::string> notes;  // on parts that are missing
  Refusal refusal = Refusal::none;
  std::string message;  // for people, of the refusal
};

// Lists nodes and pods, and, as far as the API server serves them, Topology, HyperNode and
// PodGroup. Without the right to list nodes or pods, that is all of the answer.
TopologyObjects read_topology_objects(ApiReader& reader);

}  // namespace berth::tools
