#include <algorithm>
#include <iterator>
#include <utility>

#include "embedded/api_server.h"

// Objects as users create, change and delete them.

namespace berth::embedded {
namespace {

// The classes of every cluster.
const PriorityClassObject kSystemClasses[] = {
    {"system-cluster-critical", 2'000'000'000},
    {"system-node-critical", 2'000'001'000},
};

// Keeps the marks that no user wrote.
void keep_marks(TargetMarks& marks, const TargetMarks& old) {
  const TargetMarks written = std::exchange(marks, old);
  keep_users_word(marks, written);
}

// By the API's rules, tolerations are only added.
void keep_tolerations(LockTolerations& tolerations, const LockTolerations& old) {
  tolerations.all = tolerations.all || old.all;
  tolerations.all_for_queues = tolerations.all_for_queues || old.all_for_queues;
  std::vector<std::string> both;
  std::set_union(tolerations.some.begin(), tolerations.some.end(), old.some.begin(), old.some.end(),
                 std::back_inserter(both));
  tolerations.some = std::move(both);
}

}  // namespace

// In the order of kinds, so that what an object refers to is there first.
void ApiServer::apply(const std::vector<ClusterEvent>& changes) {
  for (const ClusterEvent& change : changes) {
    if (!key_of_deleted(change).empty()) remove(change);
  }
  for (std::size_t kind = 0; kind < std::tuple_size_v<AllObjects>; ++kind) {
    for (const ClusterEvent& change : changes) {
      std::visit(
          [&]<class Object>(const Object& object) {
            if constexpr (kind_of<Object>() <= Kind::pod) {
              if (kind_of<Object>() == static_cast<Kind>(kind)) take(object);
            }
          },
          change);
    }
  }
}

template <class Object>
void ApiServer::take(Object object) {
  if constexpr (std::is_same_v<Object, PodObject>) {
    const PodObject* const named = find_pod_named(object.full_name());
    if (named != nullptr && named->uid != object.uid) {  // created again under the same name
      const std::string old_uid = named->uid;
      erase<PodObject>(old_uid);
    }
  }
  const Object* const old = find<Object>(key_of(object));
  if constexpr (requires {
                  object.uid;
                  object.created;
                }) {
    if (old != nullptr) {
      object.uid = old->uid;
      object.created = old->created;
    } else if (object.created == TimePoint{}) {
      object.created = clock_.now();
    }
  }
  if constexpr (requires { keep_of(object, object); }) {
    if (old != nullptr) keep_of(*old, object);
  }
  if constexpr (std::is_same_v<Object, PodObject>) admit(object);
  put(std::move(object));
}

void ApiServer::keep_of(const NodeObject& old, NodeObject& node) const {
  node.locked_for = old.locked_for;
  node.locked_since = old.locked_since;
  node.has_lock_taint = old.has_lock_taint;
  node.locked_for_queue = old.locked_for_queue;
  node.locked_for_queue_since = old.locked_for_queue_since;
  node.has_queue_lock_taint = old.has_queue_lock_taint;
}

void ApiServer::keep_of(const PodObject& old, PodObject& pod) const {
  pod.phase = old.phase;
  pod.terminating = old.terminating;
  pod.times.grace_ends = old.times.grace_ends;
  pod.node_name = old.node_name;
  pod.nominated_node = old.nominated_node;
  pod.planned_node = old.planned_node;
  std::erase_if(pod.gates, [&](const std::string& gate) {  // they are only taken off
    return std::find(old.gates.begin(), old.gates.end(), gate) == old.gates.end();
  });
  pod.not_scheduled = old.not_scheduled;
  pod.unschedulable = old.unschedulable;
  pod.started = old.started;
  pod.scheduled = old.scheduled;
  keep_tolerations(pod.lock_tolerations, old.lock_tolerations);
  keep_marks(pod.marks, old.marks);
}

// Users open and close queues by their status.
void ApiServer::keep_of(const QueueObject& old, QueueObject& queue) const {
  queue.written = old.written;
}

void ApiServer::keep_of(const PodGroupObject& old, PodGroupObject& group) const {
  group.phase = old.phase;
  group.written = old.written;
  keep_marks(group.marks, old.marks);
}

void ApiServer::admit(PodObject& pod) const {
  if (pod.priority) return;
  for (const PriorityClassObject& system : kSystemClasses) {
    if (pod.priority_class == system.name) pod.priority = system.value;
  }
  for (const auto& [name, its] : all<PriorityClassObject>()) {
    const bool applies =
        pod.priority_class.empty() ? its.object.global_default : pod.priority_class == name;
    if (!applies) continue;
    pod.priority = its.object.value;
    pod.never_preempts = pod.never_preempts || its.object.never_preempts;
  }
}

void ApiServer::remove(const ClusterEvent& deletion) {
  const std::string key = key_of_deleted(deletion);
  if (std::holds_alternative<PodDeleted>(deletion)) return delete_pod(key);
  if (std::holds_alternative<NodeDeleted>(deletion)) return delete_node(key);
  if (std::holds_alternative<PodGroupDeleted>(deletion)) erase<PodGroupObject>(key);
  if (std::holds_alternative<QueueDeleted>(deletion)) erase<QueueObject>(key);
  if (std::holds_alternative<PriorityClassDeleted>(deletion)) erase<PriorityClassObject>(key);
  if (std::holds_alternative<NamespaceDeleted>(deletion)) erase<NamespaceObject>(key);
  if (std::holds_alternative<BudgetDeleted>(deletion)) erase<BudgetObject>(key);
  if (std::holds_alternative<StorageDeleted>(deletion)) erase<StorageObject>(key);
  if (std::holds_alternative<SelectingDeleted>(deletion)) erase<SelectingObject>(key);
  if (std::holds_alternative<TopologyDeleted>(deletion)) erase<TopologyObject>(key);
  if (std::holds_alternative<DeviceClassDeleted>(deletion)) erase<DeviceClassObject>(key);
  if (std::holds_alternative<CompositeGroupDeleted>(deletion)) erase<CompositeGroupObject>(key);
  if (!std::holds_alternative<OwnerDeleted>(deletion)) return;
  erase<OwnerObject>(key);
  // The garbage collector's work on what Berth made for it.
  std::vector<std::string> orphans;
  for (const auto& [name, group] : all<PodGroupObject>()) {
    if (group.object.is_made_by_berth && group.object.owner_uid == key) orphans.push_back(name);
  }
  for (const std::string& name : orphans) erase<PodGroupObject>(name);
}

}  // namespace berth::embedded
