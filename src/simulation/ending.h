#pragma once

#include <string>
#include <vector>

#include "berth/model/cluster.h"
#include "berth/model/event.h"

namespace berth::simulation {

// Pods whose end may make enough room for the pods that a job lacks.
struct Ending {
  std::string name;  // of their job, or of the pod, if another scheduler has it
  std::vector<std::string> pod_uids;
  bool is_job = false;
};

// Jobs, and pods of other schedulers, that ran `before` this cycle, each of which frees that room
// by itself: those with the fewest pods first, then by name; at most `most`. By amounts and by the
// nodes' own constraints.
std::vector<Ending> endings_for(const Cluster& cluster, JobId job, const std::vector<TaskId>& tasks,
                                const std::vector<ClusterEvent>& before, std::size_t most);

// The objects without these pods.
std::vector<ClusterEvent> without(const std::vector<ClusterEvent>& objects, const Ending& ending);

}  // namespace berth::simulation
