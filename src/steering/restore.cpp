#include <algorithm>
#include <map>
#include <set>

#include "berth/base/look_up.h"
#include "berth/engine/fit.h"
#include "steering/steering.h"
#include "steering/turns.h"

namespace berth::steering {

namespace {

std::int32_t bound_count(const StatusCounts& counts) {
  return count_of(counts, TaskStatus::bound) + count_of(counts, TaskStatus::running) +
         count_of(counts, TaskStatus::succeeded);
}

bool is_bound_in_part(const Job& job) {
  const bool lacks_a_role =
      job.roles_bind() && std::any_of(job.roles.begin(), job.roles.end(), [](const Role& role) {
        return bound_count(role.counts) < role.minimum;
      });
  return job.bound_count() > 0 && (job.bound_count() < job.min_available || lacks_a_role);
}

// Room that is given out is none any more: several restored pods may want one node.
class RoomLeft {
 public:
  explicit RoomLeft(const Cluster& cluster) : cluster_(cluster) {
    for (const JobId id : cluster.claimants()) {
      for (const Claim& each : cluster.job(id).claims) {
        add(cluster.shape_of(each.task), each.node, claimed_[id]);
      }
    }
  }

  // A plan that had ended may still be written on its pods, and others may have left for another
  // job since. A gang that is bound in part comes before that.
  bool take(const Task& task, NodeId node) {
    const Shape& shape = cluster_.shape(task.shape);
    if (!engine::has_room(Now{*this}, shape, node)) return false;
    const bool has_begun = is_bound_in_part(cluster_.job(task.job));
    if (!has_begun && !engine::has_room(BesideClaims{*this, task.job}, shape, node)) return false;
    add(shape, node, taken_);
    return true;
  }

 private:
  using Amounts = std::map<std::pair<NodeId, Dimension>, std::int64_t>;
  struct Now {
    const RoomLeft& room;
    std::int64_t at(NodeId node, Dimension d) const {
      return engine::IdleNow{room.cluster_}.at(node, d) - amount(room.taken_, node, d);
    }
  };
  // Once all have left that are to leave, for the claims of other jobs as well.
  struct BesideClaims {
    const RoomLeft& room;
    JobId job;
    std::int64_t at(NodeId node, Dimension d) const {
      std::int64_t left =
          engine::OnceVacated{room.cluster_}.at(node, d) - amount(room.taken_, node, d);
      for (const auto& [id, claimed] : room.claimed_) {
        if (id != job) left -= amount(claimed, node, d);
      }
      return left;
    }
  };

  static std::int64_t amount(const Amounts& amounts, NodeId node, Dimension d) {
    return value_or(amounts, std::pair(node, d));
  }
  static void add(const Shape& shape, NodeId node, Amounts& to) {
    for (const auto& [dimension, amount] : shape.requested) to[{node, dimension}] += amount;
  }

  const Cluster& cluster_;
  Amounts taken_;
  std::map<JobId, Amounts> claimed_;
};

// Those of pods that have no place.
void keep_claims(const Cluster& cluster, Plan& plan) {
  std::set<TaskId> placed;
  for (const Placement& each : plan.binds) placed.insert(each.task);
  for (const JobId id : cluster.claimants()) {
    for (const Claim& each : cluster.job(id).claims) {
      if (!placed.contains(each.task)) plan.pipelined.push_back({each.task, each.node});
    }
  }
}

// Of an unbound pod.
struct LastPlace {
  TaskId task;
  NodeId node;
  bool is_nominated = false;
};

// By uids.
std::vector<LastPlace> last_places(const reconcile::ObservedState& observed, const Cluster& cluster,
                                   const FindTask& find_task) {
  std::vector<std::string> uids;
  for (const auto& [uid, pod] : observed.pods()) uids.push_back(uid);
  std::sort(uids.begin(), uids.end());
  std::vector<LastPlace> places;
  for (const std::string& uid : uids) {
    const reconcile::ObservedPod& pod = *observed.pod(uid);
    const bool was_committed = !pod.is_gated && !pod.planned.empty();
    const reconcile::ObservedGroup* group = observed.group(pod.ref.name_space + "/" + pod.group);
    const bool was_committing = pod.is_gated && group != nullptr && group->is_recorded;
    if (!was_committed && !was_committing) continue;
    const NodeId node = cluster.find_node(was_committed ? pod.planned : pod.nominated);
    const TaskId id = find_task(uid);
    if (!node.is_valid() || !id.is_valid()) continue;
    places.push_back({id, node, cluster.node(node).name == pod.nominated});
  }
  return places;
}

}  // namespace

Plan restored_plan(const reconcile::ObservedState& observed, const Cluster& cluster,
                   const FindTask& find_task) {
  const std::vector<LastPlace> places = last_places(observed, cluster, find_task);
  // An annotation may outlive its plan. kube-scheduler may have ended some of the nominations.
  std::set<JobId> nominated;
  for (const LastPlace& each : places) {
    if (each.is_nominated) nominated.insert(cluster.task(each.task).job);
  }
  Plan plan;
  RoomLeft room(cluster);
  for (const auto& [id, node, is_nominated] : places) {
    const Task& task = cluster.task(id);
    const bool is_in_part = is_bound_in_part(cluster.job(task.job));
    if (!is_in_part && !nominated.contains(task.job)) continue;
    if (!is_in_part && cluster.is_locked_out(node, task.job)) continue;
    // Nobody knows in which order they were planned, nor who has exchanged his place: planned anew.
    if (depends_on_order(cluster, cluster.shape(task.shape))) continue;
    if (task.status != TaskStatus::pending || task.is_gated || !room.take(task, node)) continue;
    plan.binds.push_back({id, node});
  }
  keep_claims(cluster, plan);
  return plan;
}

}  // namespace berth::steering
