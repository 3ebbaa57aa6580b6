#include "engine/consistency.h"

namespace berth::engine {

std::string volume_fault(const Cluster& cluster) {
  const VolumeTable& volumes = cluster.relations().volumes();
  for (std::size_t t = 0; t < cluster.task_slots(); ++t) {
    const Task& task = cluster.task(TaskId(t));
    if (task.uid.empty() || !volumes.has_pod(TaskId(t))) continue;
    const bool counts = occupies_node(task.status) || task.status == TaskStatus::pipelined;
    const bool is_there = counts && task.node.is_valid() && cluster.shape(task.shape).has_volumes;
    const std::string node = is_there ? cluster.node(task.node).name : "";
    if (volumes.node_of(TaskId(t)) != node) return "task " + task.name + ": its volumes are off";
  }
  return "";
}

}  // namespace berth::engine
