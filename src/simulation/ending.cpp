#include "simulation/ending.h"

#include <algorithm>
#include <map>
#include <set>
#include <string_view>
#include <utility>
#include <variant>

#include "engine/fit/fits_on.h"

namespace berth::simulation {

namespace {

// The room for pods of one shape on one node.
class RoomFor {
 public:
  RoomFor(const Cluster& cluster, const Shape& shape) : cluster_(cluster), shape_(shape) {
    for (std::size_t n = 0; n < cluster.node_count(); ++n) {
      const engine::Verdict verdict = engine::fits_on(cluster, shape, NodeId(n));
      passes_.push_back(verdict || verdict.reason == Reason::insufficient_resource ? 1 : 0);
      idle_ += members(NodeId(n), {});
    }
  }

  std::int64_t idle() const { return idle_; }

  // How many more there would be room for without `freed` on the node.
  std::int64_t gain(NodeId node, const Resources& freed) const {
    return members(node, freed) - members(node, {});
  }

 private:
  std::int64_t members(NodeId node, const Resources& freed) const {
    if (passes_[node.index()] == 0) return 0;
    std::int64_t most = kMost;
    for (const auto& [d, asked] : shape_.requested) {
      const std::int64_t room = cluster_.idle().at(node, d) + freed[d];
      most = std::min(most, std::max<std::int64_t>(0, room) / asked);
    }
    return most;
  }

  static constexpr std::int64_t kMost = 1'000'000;
  const Cluster& cluster_;
  const Shape& shape_;
  std::vector<std::uint8_t> passes_;
  std::int64_t idle_ = 0;
};

struct Found {
  Ending ending;
  std::map<NodeId, Resources> freed;
};

// By name.
std::map<std::string, Found> all_endings(const Cluster& cluster, JobId own,
                                         const std::vector<ClusterEvent>& before) {
  std::set<std::string_view> ran;  // uids
  for (const ClusterEvent& object : before) {
    const auto* const pod = std::get_if<PodObject>(&object);
    if (pod != nullptr && !pod->node_name.empty()) ran.insert(pod->uid);
  }
  std::map<std::string, Found> found;
  for (std::size_t n = 0; n < cluster.node_count(); ++n) {
    for (const TaskId id : cluster.node(NodeId(n)).tasks) {
      const Task& task = cluster.task(id);
      const bool may_end = occupies_node(task.status) && !task.is_of_node && task.job != own &&
                           ran.contains(task.uid);
      if (!may_end) continue;
      const bool is_job = task.job.is_valid();
      Found& each = found[is_job ? cluster.job(task.job).name : task.name];
      each.ending.name = is_job ? cluster.job(task.job).name : task.name;
      each.ending.is_job = is_job;
      each.ending.pod_uids.push_back(task.uid);
      each.freed[NodeId(n)] += cluster.shape(task.shape).request;
    }
  }
  return found;
}

}  // namespace

std::vector<Ending> endings_for(const Cluster& cluster, JobId job, const std::vector<TaskId>& tasks,
                                const std::vector<ClusterEvent>& before, std::size_t most) {
  const ShapeId shape = cluster.task(tasks.front()).shape;
  const bool are_alike = std::all_of(tasks.begin(), tasks.end(),
                                     [&](TaskId id) { return cluster.task(id).shape == shape; });
  if (!are_alike) return {};
  const RoomFor room(cluster, cluster.shape(shape));
  std::vector<Ending> endings;
  for (auto& [name, found] : all_endings(cluster, job, before)) {
    std::int64_t members = room.idle();
    for (const auto& [node, freed] : found.freed) members += room.gain(node, freed);
    if (members >= static_cast<std::int64_t>(tasks.size()) && members > room.idle()) {
      endings.push_back(std::move(found.ending));
    }
  }
  std::stable_sort(endings.begin(), endings.end(), [](const Ending& left, const Ending& right) {
    return left.pod_uids.size() < right.pod_uids.size();
  });
  if (endings.size() > most) endings.resize(most);
  return endings;
}

std::vector<ClusterEvent> without(const std::vector<ClusterEvent>& objects, const Ending& ending) {
  std::vector<ClusterEvent> others;
  for (const ClusterEvent& object : objects) {
    const auto* const pod = std::get_if<PodObject>(&object);
    const auto& uids = ending.pod_uids;
    if (pod != nullptr && std::find(uids.begin(), uids.end(), pod->uid) != uids.end()) continue;
    others.push_back(object);
  }
  return others;
}

}  // namespace berth::simulation
