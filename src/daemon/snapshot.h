#pragma once

#include <string>
#include <vector>

#include "berth/model/cluster.h"
#include "berth/model/event.h"

namespace berth::daemon {

// The cluster as berthd knows it, copied in one go. Immutable: any thread may read it.
struct Snapshot {
  struct JobPart {
    std::string group;  // name of its PodGroup; empty: a single pod, or none of ours
    std::string queue;
    TargetMarks marks;  // of a single pod
    std::vector<std::string> roles;
    bool is_ours = false;
  };
  struct ShapePart {
    NamedAmounts request;
    Constraints constraints;
  };

  // Objects that the cluster does not keep whole.
  struct Objects {
    std::vector<QueueObject> queues;  // by name
    std::vector<TopologyObject> topologies;
  };

  TimePoint now;
  std::string scheduler;          // of pods of ours
  std::vector<NodeObject> nodes;  // by NodeId
  Objects objects;
  std::vector<BudgetObject> budgets;  // by full name
  std::vector<PodGroupObject> groups;
  std::vector<Task> tasks;
  std::vector<JobPart> jobs;      // by JobId
  std::vector<ShapePart> shapes;  // by ShapeId
  std::vector<Labels> labels;     // of pods, by LabelSetId
};

// Takes the session thread's time: strings are copied, and nothing is written.
Snapshot snapshot_of(const Cluster& cluster, Snapshot::Objects objects, std::string scheduler,
                     TimePoint now);

// A List of Nodes, Queues, topologies, PodDisruptionBudgets, PodGroups and Pods, as `berth plan
// --cluster` reads them. It has amounts, labels and taints of nodes, and what decides about the
// nodes and the time of a pod. It has no environments, commands, images or volumes of pods, and of
// annotations only those that Berth reads.
std::string snapshot_json(const Snapshot& snapshot);

}  // namespace berth::daemon
