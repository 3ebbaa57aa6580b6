#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "berth/base/strong_id.h"
#include "berth/model/objects.h"
#include "berth/model/queue_nodes.h"
#include "berth/model/resources.h"

namespace berth {

// A machine. Its idle, releasing and pipelined amounts are columns of the Cluster.
struct Node {
  std::string name;
  std::string uid;
  std::map<std::string, std::string> labels;
  std::vector<Taint> taints;
  bool is_unschedulable = false;
  Resources allocatable;
  // Sorted: what kube-scheduler ruled out here recently, by Shape::lasting_key, and its reasons.
  std::vector<std::pair<std::uint64_t, std::string>> vetoed;
  Lock lock;                  // for a target
  QueueLock queue_lock;       // for a queue
  std::vector<TaskId> tasks;  // tasks here or on the way, in no order
  NodeId id = {};             // the Cluster's
};

}  // namespace berth
