#include <algorithm>
#include <iterator>
#include <utility>

#include "embedded/embedded_cluster.h"

// The effects of creating, changing and deleting objects in the embedded cluster.

namespace berth::embedded {
namespace {

template <class Object>
void keep_identity(Object& object, const Object* old, TimePoint now) {
  if (old != nullptr) {
    object.uid = old->uid;
    object.created = old->created;
  } else if (object.created == TimePoint{}) {
    object.created = now;
  }
}

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

template <class Map>
auto* find_in(Map& map, const std::string& key) {
  const auto found = map.find(key);
  return found == map.end() ? nullptr : &found->second;
}

}  // namespace

void EmbeddedCluster::put(NodeObject node) {
  const NodeObject* const old = find_in(nodes_, node.name);
  keep_identity(node, old, clock_.now());
  if (old != nullptr) {
    node.locked_for = old->locked_for;
    node.locked_since = old->locked_since;
    node.has_lock_taint = old->has_lock_taint;
    node.locked_for_queue = old->locked_for_queue;
    node.locked_for_queue_since = old->locked_for_queue_since;
    node.has_queue_lock_taint = old->has_queue_lock_taint;
  }
  notify_watchers(node);
  const std::string name = node.name;
  nodes_[name] = std::move(node);
}

void EmbeddedCluster::put(PodObject pod) {
  const auto uid = pod_uids_.find(pod.full_name());
  if (uid != pod_uids_.end() && uid->second != pod.uid) {
    const std::string old_uid = uid->second;
    remove_pod(old_uid);  // created again under the same name
  }
  PodObject* const old = find_in(pods_, pod.uid);
  keep_identity(pod, old, clock_.now());
  if (old != nullptr) {
    pod.phase = old->phase;
    pod.terminating = old->terminating;
    pod.node_name = old->node_name;
    pod.nominated_node = old->nominated_node;
    pod.started = old->started;
    pod.scheduled = old->scheduled;
    keep_tolerations(pod.lock_tolerations, old->lock_tolerations);
    keep_marks(pod.marks, old->marks);
  }
  admit(pod);
  const bool may_run = pod.phase == PodPhase::pending || pod.phase == PodPhase::running;
  if (may_run && !pod.node_name.empty()) set_running(pod);
  pod_uids_[pod.full_name()] = pod.uid;
  PodObject& kept = pods_[pod.uid] = std::move(pod);
  if (kept.terminating && old == nullptr) {
    begin_removal(kept);
  } else {
    notify_watchers(kept);
  }
}

void EmbeddedCluster::put(PodGroupObject group) {
  const PodGroupObject* const old = find_in(groups_, group.full_name());
  keep_identity(group, old, clock_.now());
  if (old != nullptr) {
    group.phase = old->phase;
    keep_marks(group.marks, old->marks);
  }
  notify_watchers(group);
  const std::string full_name = group.full_name();
  groups_[full_name] = std::move(group);
}

void EmbeddedCluster::put(QueueObject queue) {
  keep_identity(queue, find_in(queues_, queue.name), clock_.now());
  notify_watchers(queue);
  const std::string name = queue.name;
  queues_[name] = std::move(queue);
}

void EmbeddedCluster::put(PriorityClassObject priority_class) {
  notify_watchers(priority_class);
  const std::string name = priority_class.name;
  priority_classes_[name] = std::move(priority_class);
}

void EmbeddedCluster::put(NamespaceObject name_space) {
  notify_watchers(name_space);
  const std::string name = name_space.name;
  namespaces_[name] = std::move(name_space);
}

void EmbeddedCluster::put(OwnerObject owner) {
  notify_watchers(owner);
  const std::string uid = owner.uid;
  owners_[uid] = std::move(owner);
}

void EmbeddedCluster::put(BudgetObject budget) {
  notify_watchers(budget);
  const std::string full_name = budget.full_name();
  budgets_[full_name] = std::move(budget);
}

void EmbeddedCluster::put(StorageObject object) {
  notify_watchers(object);
  const StorageName name{object.kind(), object.full_name()};
  storage_[name] = std::move(object);
}

void EmbeddedCluster::put(StorageKnown known) {
  notify_watchers(known);
  storage_known_ = known;
}

void EmbeddedCluster::drop(const StorageDeleted& gone) {
  if (storage_.erase({gone.kind, gone.full_name}) != 0) notify_watchers(gone);
}

void EmbeddedCluster::put(SelectingObject object) {
  notify_watchers(object);
  const std::pair name{object.kind, object.full_name()};
  selecting_[name] = std::move(object);
}

void EmbeddedCluster::drop(const SelectingDeleted& gone) {
  if (selecting_.erase({gone.kind, gone.full_name}) != 0) notify_watchers(gone);
}

void EmbeddedCluster::drop(const NodeDeleted& gone) {
  if (nodes_.erase(gone.name) == 0) return;
  notify_watchers(gone);
  // The pod collector's work on pods of a deleted node.
  std::vector<std::string> orphans;
  for (const auto& [uid, pod] : pods_) {
    if (pod.node_name == gone.name) orphans.push_back(uid);
  }
  for (const std::string& uid : orphans) remove_pod(uid);
}

void EmbeddedCluster::drop(const PodDeleted& gone) {
  PodObject* const pod = find_in(pods_, gone.uid);
  if (pod != nullptr && !pod->terminating) begin_removal(*pod);
}

void EmbeddedCluster::drop(const PodGroupDeleted& gone) {
  statuses_.erase(gone.full_name);
  if (groups_.erase(gone.full_name) != 0) notify_watchers(gone);
}

void EmbeddedCluster::drop(const QueueDeleted& gone) {
  if (queues_.erase(gone.name) != 0) notify_watchers(gone);
}

void EmbeddedCluster::drop(const PriorityClassDeleted& gone) {
  if (priority_classes_.erase(gone.name) != 0) notify_watchers(gone);
}

void EmbeddedCluster::drop(const NamespaceDeleted& gone) {
  if (namespaces_.erase(gone.name) != 0) notify_watchers(gone);
}

void EmbeddedCluster::drop(const OwnerDeleted& gone) {
  if (owners_.erase(gone.uid) == 0) return;
  notify_watchers(gone);
  // The garbage collector's work on what Berth made for it.
  std::vector<std::string> orphans;
  for (const auto& [name, group] : groups_) {
    if (group.is_made_by_berth && group.owner_uid == gone.uid) orphans.push_back(name);
  }
  for (const std::string& name : orphans) drop(PodGroupDeleted{name});
}

void EmbeddedCluster::drop(const BudgetDeleted& gone) {
  if (budgets_.erase(gone.full_name) != 0) notify_watchers(gone);
}

// In an order where no object refers to a later one.
std::vector<ClusterEvent> EmbeddedCluster::everything() const {
  std::vector<ClusterEvent> all;
  for (const auto& [name, object] : priority_classes_) all.push_back(object);
  for (const auto& [name, object] : namespaces_) all.push_back(object);
  for (const auto& [name, object] : queues_) all.push_back(object);
  for (const auto& [name, object] : nodes_) all.push_back(object);
  for (const auto& [name, object] : storage_) all.push_back(object);
  for (const auto& [name, object] : selecting_) all.push_back(object);
  if (storage_known_) all.push_back(*storage_known_);
  for (const auto& [uid, object] : owners_) all.push_back(object);
  for (const auto& [name, object] : groups_) all.push_back(object);
  for (const auto& [name, object] : budgets_) all.push_back(object);
  for (const auto& [uid, object] : pods_) all.push_back(object);
  return all;
}

}  // namespace berth::embedded
