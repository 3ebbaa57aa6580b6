#include "berth/model/cluster.h"
#include "berth/model/dimensions.h"

// The volumes of tasks: VolumeTable follows tasks, and their shapes follow it.

namespace berth {

// VOLUME-12. Where the task's volumes count. Invalid: nowhere.
NodeId Cluster::node_of_volumes(const Task& task) const {
  if (!task.node.is_valid() || !shapes_[task.shape.index()].has_volumes) return NodeId();
  const bool counts = occupies_node(task.status) || task.status == TaskStatus::pipelined;
  return counts ? task.node : NodeId();
}

void Cluster::account_in_volumes(TaskId id, NodeId before) {
  const NodeId now = node_of_volumes(tasks_[id.index()]);
  if (now == before) return;
  VolumeTable& volumes = relations_.mutable_volumes();
  if (before.is_valid()) volumes.unplace(id);
  if (!now.is_valid()) return;
  const Node& node = nodes_[now.index()];
  volumes.place(id, node.name, node.labels);
}

// VOLUME-13
void Cluster::set_constraints(TaskId id, const Constraints& constraints) {
  const Task& task = tasks_[id.index()];
  const Shape& before = shapes_[task.shape.index()];
  const NamedAmounts request = request_of(dimensions_, before);
  const NodeId mounted_on = node_of_volumes(task);
  reshape(id, intern_shape(request, constraints, name_space_of(task), task.labels));
  account_in_volumes(id, mounted_on);
}

void Cluster::note_volumes(bool about_all, const std::vector<std::string>& nodes) {
  if (about_all) ++spec_version_;
  for (const std::string& name : nodes) {
    if (const NodeId id = find_node(name); id.is_valid()) changes_.note(id);
  }
  touch();
}

}  // namespace berth
