#include <algorithm>

#include "berth/engine/fit.h"
#include "steering/steering.h"

// What the watch shows, and what an earlier leader left behind (STEER-10).

namespace berth::steering {

namespace {

bool is_over(const PodObject& pod) {
  return pod.phase == PodPhase::succeeded || pod.phase == PodPhase::failed;
}

bool has_tolerations(const PodObject& pod) {
  const auto& unmodelled = pod.constraints.unmodelled;
  return !pod.constraints.tolerations.empty() || !pod.lock_tolerations.some.empty() ||
         std::find(unmodelled.begin(), unmodelled.end(), "numericToleration") != unmodelled.end();
}

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

void Steering::observe(const ClusterEvent& event) {
  if (const auto* pod = std::get_if<PodObject>(&event)) {
    const auto& ours = options_.managed_schedulers;
    const bool is_ours = std::find(ours.begin(), ours.end(), pod->scheduler_name) != ours.end();
    if (!is_ours || !pod->node_name.empty() || pod->terminating || is_over(*pod)) {
      forget_wire(pod->uid);
      return;
    }
    Wire& wire = wires_[pod->uid];
    wire.name_space = pod->name_space;
    wire.name = pod->name;
    wire.group = pod->group;
    wire.gated = std::find(pod->gates.begin(), pod->gates.end(), kPlanGate) != pod->gates.end();
    wire.is_free_to_require = !pod->constraints.has_required_terms;
    lose_nomination(pod->uid, wire.nominated, pod->nominated_node);
    wire.nominated = pod->nominated_node;
    wire.planned = pod->planned_node;
    wire.unschedulable = pod->unschedulable;
    wire.has_tolerations = has_tolerations(*pod);
    wire.tolerated = pod->lock_tolerations;
    const bool is_ours_to_clear = wire.gated || !wire.planned.empty();
    if (is_ours_to_clear && !wire.nominated.empty()) {
      nominated_.insert(pod->uid);
      if (epoch_ != 0) newly_nominated_.push_back(pod->uid);
    } else {
      nominated_.erase(pod->uid);
    }
  } else if (const auto* dropped = std::get_if<PlacementDropped>(&event)) {
    // Even if it is planned on the same node again at once: kube-scheduler has given up on it.
    const auto course = courses_.find(dropped->pod_uid);
    if (course != courses_.end() && course->second.node == dropped->node) end(course);
  } else if (const auto* moved = std::get_if<PlacementMoved>(&event)) {
    const auto course = courses_.find(moved->pod_uid);
    if (course != courses_.end() && course->second.node == moved->from) {
      // Nominated and committed anew: a restart, or a second veto, must find the new node.
      course->second.node = moved->to;
      course->second.stage = Stage::planned;
    }
  } else if (const auto* deleted = std::get_if<PodDeleted>(&event)) {
    forget_wire(deleted->uid);
  } else if (const auto* group = std::get_if<PodGroupObject>(&event)) {
    const std::string name = group->full_name();
    const auto known = recorded_.find(name);
    if (group->is_recorded) {
      recorded_[name] = group->uid;
    } else if (known != recorded_.end() && known->second.empty()) {
      known->second = group->uid;  // just written, and not seen yet
    } else if (known != recorded_.end() && known->second != group->uid) {
      recorded_.erase(known);
    }
  } else if (const auto* gone = std::get_if<PodGroupDeleted>(&event)) {
    recorded_.erase(gone->full_name);
    records_.erase(gone->full_name);
  }
}

void Steering::forget_wire(const std::string& uid) {
  wires_.erase(uid);
  nominated_.erase(uid);
}

// kube-scheduler takes a nomination back when an attempt fails: then the pod goes through it all
// again, or the next attempt finds no reservation.
void Steering::lose_nomination(const std::string& uid, const std::string& before,
                               const std::string& now) {
  if (before.empty() || !now.empty() || options_.mode != Mode::nominate) return;
  const auto course = courses_.find(uid);
  if (course != courses_.end() && course->second.node == before) {
    course->second.stage = Stage::planned;
  }
}

Plan Steering::start_leading(std::uint64_t epoch, const Cluster& cluster,
                             const FindTask& find_task) {
  stop_leading();
  epoch_ = epoch;
  newly_nominated_.assign(nominated_.begin(), nominated_.end());
  std::vector<std::string> uids;
  for (const auto& [uid, wire] : wires_) uids.push_back(uid);
  std::sort(uids.begin(), uids.end());

  Plan plan;
  RoomLeft room(cluster);
  for (const std::string& uid : uids) {
    const Wire& wire = wires_.at(uid);
    const bool was_committed = !wire.gated && !wire.planned.empty();
    const bool was_committing =
        wire.gated && recorded_.contains(wire.name_space + "/" + wire.group);
    if (!was_committed && !was_committing) continue;
    const NodeId node = cluster.find_node(was_committed ? wire.planned : wire.nominated);
    const TaskId id = find_task(uid);
    if (!node.is_valid() || !id.is_valid()) continue;
    const Task& task = cluster.task(id);
    if (task.status != TaskStatus::pending || task.is_gated || !room.take(task, node)) continue;
    plan.binds.push_back({id, node});
  }
  return plan;
}

}  // namespace berth::steering
