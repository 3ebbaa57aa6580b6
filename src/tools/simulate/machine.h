#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "berth/base/result.h"
#include "results/run.h"
#include "simulation/job_stream.h"
#include "traces/trace.h"

// How jobs of a trace become gangs of pods on nodes that are alike, or on those of a list.

namespace berth::tools {

struct MachineFlags {
  std::string nodes = {};      // a number
  std::string node;            // "cpu=4,memory=16Gi"
  std::string node_list = {};  // a file of nodes, as openb has them
};

// Nodes are named node-00000 on, or as the list says.
Result<std::vector<NodeObject>> machine_of(const MachineFlags& flags);

// The largest part that such a pod takes of a resource of the node that has most of it.
double size_of(const NamedAmounts& request, const std::vector<NodeObject>& nodes);

struct Shaping {
  // Processors of a pod; 0: as many as a node has, and the pod takes the whole node.
  std::int64_t processors_per_pod = 0;
  std::int64_t pods_per_job = 0;  // 0: by the processors of a pod; else so many, of equal size
  std::string queue_by;           // "", "queue", "user", "group": a queue of ours for each of these
};

// The jobs as they are run, in the order of the trace, and what is known of them for the results.
struct Workload {
  std::vector<simulation::StreamJob> jobs;
  std::vector<ClusterEvent> queues;
  std::vector<results::JobResult> known;  // without what the run brings
};

// An Error if a job asks for processors, and no node has those of a pod.
Result<Workload> workload_of(const traces::Trace& trace, const std::vector<NodeObject>& nodes,
                             const Shaping& shaping);

// The outcome of a run.
results::RunResult result_of(const Workload& workload, const std::vector<NodeObject>& nodes,
                             const simulation::StreamResult& stream);

}  // namespace berth::tools
