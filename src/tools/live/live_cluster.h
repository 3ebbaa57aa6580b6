#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "berth/base/result.h"
#include "tools/live/kube_flags.h"
#include "tools/planning.h"

namespace berth::tools {

enum class ClusterUse : std::uint8_t { topology, sessions };

// Lists nodes and pods, and, as far as the API server serves them, Topology, HyperNode and
// PodGroup; for sessions also queues, priority classes, namespaces, budgets and Jobs. Prints notes
// on parts that are missing, and goes on by `show`, with the configuration of the file. Without the
// right to list nodes or pods, prints that, and returns the exit code.
Result<int> show_live_cluster(const KubeFlags& flags, const std::string& config, ClusterUse use,
                              Console& console,
                              const std::function<Result<int>(const ClusterInput&)>& show);

}  // namespace berth::tools
