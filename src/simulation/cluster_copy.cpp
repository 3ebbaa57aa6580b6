#include "simulation/cluster_copy.h"

#include <string_view>
#include <variant>

namespace berth::simulation {

namespace {

TimePoint creation_of(const ClusterEvent& event) {
  return std::visit(
      [](const auto& object) {
        if constexpr (requires { object.created; }) return object.created;
        return TimePoint();
      },
      event);
}

// The job of that name, or a pod of it, or the pod of that name.
bool is_named(const ClusterEvent& event, const std::string& name) {
  if (const auto* const group = std::get_if<PodGroupObject>(&event)) {
    return group->full_name() == name;
  }
  const auto* const pod = std::get_if<PodObject>(&event);
  if (pod == nullptr) return false;
  return pod->full_name() == name || pod->name_space + "/" + pod->group == name;
}

}  // namespace

ClusterCopy::ClusterCopy(std::vector<ClusterEvent> objects, mirror::Options options,
                         TimePoint start_time)
    : our_schedulers_(options.managed_schedulers), memory_(std::move(options)) {
  std::vector<ClusterEvent> there;
  for (ClusterEvent& object : objects) {
    if (const TimePoint created = creation_of(object); created > start_time) {
      to_come_.emplace(created, std::move(object));
    } else {
      there.push_back(std::move(object));
    }
  }
  take_in(there, start_time);
}

void ClusterCopy::take_in(const std::vector<ClusterEvent>& objects, TimePoint now) {
  std::map<std::string_view, const PodObject*> pods;
  for (const ClusterEvent& object : objects) {
    if (const auto* const pod = std::get_if<PodObject>(&object)) {
      pods.emplace(pod->uid, pod);
    } else {
      memory_.apply(object);
    }
  }
  // Pods last: their groups, classes and queues are known then, and nothing is decided twice.
  for (const auto& [uid, pod] : pods) {
    memory_.apply(*pod);
    if (pod->terminating) {
      memory_.evict(pod->uid);
    } else if (!pod->node_name.empty() && !pod->has_ended()) {
      start(pod->uid, pod->node_name, now);
    }
  }
}

void ClusterCopy::start(const std::string& uid, const std::string& node, TimePoint now) {
  memory_.start(uid, node, now);
  const PodObject& pod = *memory_.find_pod(uid);
  if (pod.run_time) ends_.emplace(*pod.started + *pod.run_time, uid);
}

void ClusterCopy::set_node_times(const std::vector<NodeTime>& times) {
  for (const NodeTime& each : times) {
    if (!each.comes) {
      losses_.emplace(each.at, each.name);
      continue;
    }
    for (const ClusterEvent& object : memory_.objects()) {
      const auto* const node = std::get_if<NodeObject>(&object);
      const auto* const pod = std::get_if<PodObject>(&object);
      const bool is_it = node != nullptr && node->name == each.name;
      const bool is_on_it = pod != nullptr && pod->node_name == each.name;
      if (is_on_it) memory_.apply(PodDeleted{pod->uid});
      if (is_it || is_on_it) to_come_.emplace(each.at, object);
    }
    memory_.apply(NodeDeleted{each.name});
  }
}

void ClusterCopy::lose_node(const std::string& name) {
  for (const ClusterEvent& object : memory_.objects()) {
    const auto* const pod = std::get_if<PodObject>(&object);
    if (pod == nullptr || pod->node_name != name) continue;
    memory_.apply(PodDeleted{pod->uid});
    std::optional<PodObject> waiting = without_its_node(*pod, our_schedulers_);
    if (!waiting) continue;
    waiting->uid += "-again";
    memory_.apply(*waiting);
  }
  memory_.apply(NodeDeleted{name});
}

void ClusterCopy::begin_cycle(TimePoint now) {
  if (!has_begun_) {
    mirror().settle(now);
    mirror().restore_claims(now);
  } else {
    memory_.remove_leaving();
  }
  has_begun_ = true;
  std::vector<ClusterEvent> due;
  const auto later = to_come_.upper_bound(now);
  for (auto each = to_come_.begin(); each != later; ++each) due.push_back(std::move(each->second));
  to_come_.erase(to_come_.begin(), later);
  take_in(due, now);
  while (!ends_.empty() && ends_.begin()->first <= now) {
    const std::string uid = ends_.extract(ends_.begin()).mapped();
    const PodObject* const pod = memory_.find_pod(uid);
    if (pod != nullptr && !pod->terminating) memory_.finish(uid, true);
  }
  while (!losses_.empty() && losses_.begin()->first <= now) {
    lose_node(losses_.extract(losses_.begin()).mapped());
  }
  mirror().settle(now);
}

void ClusterCopy::carry_out(const Plan& plan, TimePoint now) {
  Plan assumed;
  assumed.admitted = plan.admitted;
  assumed.returned = plan.returned;
  assumed.pipelined = plan.pipelined;
  assumed.ended_claims = plan.ended_claims;
  assumed.evictions = plan.evictions;
  assumed.promises = plan.promises;
  mirror().assume(assumed, now);
  mirror().assume_reservations(plan, now);
  for (const auto& [task, node] : plan.binds) {
    start(cluster().task(task).uid, cluster().node(node).name, now);
  }
  for (const PlannedEviction& eviction : plan.evictions) {
    memory_.evict(cluster().task(eviction.task).uid);
  }
  mirror().settle(now);
}

void ClusterCopy::add_nodes(const std::vector<NodeObject>& nodes, TimePoint now) {
  for (const NodeObject& node : nodes) mirror().apply(node);
  mirror().settle(now);
}

void ClusterCopy::remove_nodes(const std::vector<NodeObject>& nodes, TimePoint now) {
  for (const NodeObject& node : nodes) mirror().apply(NodeDeleted{node.name});
  mirror().settle(now);
}

std::optional<TimePoint> ClusterCopy::comes_at(const std::string& full_name) const {
  for (const auto& [created, object] : to_come_) {
    if (is_named(object, full_name)) return created;
  }
  return std::nullopt;
}

}  // namespace berth::simulation
