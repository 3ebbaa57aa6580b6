#include <algorithm>
#include <map>

#include "berth/engine/fit.h"
#include "steering/steering.h"
#include "steering/turns.h"

namespace berth::steering {

namespace {

// Idle now, less what is given out: several restored pods may want one node.
class RoomLeft {
 public:
  explicit RoomLeft(const Cluster& cluster) : cluster_(cluster) {}

  bool take(const Task& task, NodeId node) {
    const Shape& shape = cluster_.shape(task.shape);
    if (!engine::has_room(*this, shape, node)) return false;
    for (const auto& [dimension, amount] : shape.requested) taken_[{node, dimension}] += amount;
    return true;
  }
  std::int64_t at(NodeId node, Dimension d) const {
    const auto taken = taken_.find({node, d});
    return engine::IdleNow{cluster_}.at(node, d) - (taken == taken_.end() ? 0 : taken->second);
  }

 private:
  const Cluster& cluster_;
  std::map<std::pair<NodeId, Dimension>, std::int64_t> taken_;
};

}  // namespace

Plan restored_plan(const reconcile::ObservedState& observed, const Cluster& cluster,
                   const FindTask& find_task) {
  std::vector<std::string> uids;
  for (const auto& [uid, pod] : observed.pods()) uids.push_back(uid);
  std::sort(uids.begin(), uids.end());

  Plan plan;
  RoomLeft room(cluster);
  for (const std::string& uid : uids) {
    const reconcile::ObservedPod& pod = *observed.pod(uid);
    const bool was_committed = !pod.is_gated && !pod.planned.empty();
    const reconcile::ObservedGroup* group = observed.group(pod.ref.name_space + "/" + pod.group);
    const bool was_committing = pod.is_gated && group != nullptr && group->is_recorded;
    if (!was_committed && !was_committing) continue;
    const NodeId node = cluster.find_node(was_committed ? pod.planned : pod.nominated);
    const TaskId id = find_task(uid);
    if (!node.is_valid() || !id.is_valid()) continue;
    const Task& task = cluster.task(id);
    // Nobody knows in which order they were planned, nor who has exchanged his place: planned anew.
    if (depends_on_order(cluster, cluster.shape(task.shape))) continue;
    if (task.status != TaskStatus::pending || task.is_gated || !room.take(task, node)) continue;
    plan.binds.push_back({id, node});
  }
  return plan;
}

}  // namespace berth::steering
