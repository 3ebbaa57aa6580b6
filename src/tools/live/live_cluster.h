#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "berth/model/event.h"
#include "tools/live/api_reader.h"

namespace berth::tools {

struct LiveCluster {
  std::vector<ClusterEvent> objects;
  std::vector<std::string> notes;  // on parts that are missing
  Refusal refusal = Refusal::none;
  std::string message;  // for people, of the refusal
};

enum class ClusterUse : std::uint8_t { topology, sessions };

// Lists nodes and pods, and, as far as the API server serves them, Topology, HyperNode and
// PodGroup; for sessions also queues, priority classes, namespaces, budgets and Jobs. Without the
// right to list nodes or pods, that is all of the answer.
LiveCluster read_live_cluster(ApiReader& reader, ClusterUse use);

}  // namespace berth::tools
