#include "reconcile/observed_state.h"

#include <utility>

#include "berth/base/look_up.h"

namespace berth::reconcile {

namespace {

using ports::ObjectKind;

bool has_tolerations(const PodObject& pod) {
  const auto& unmodelled = pod.constraints.unmodelled;
  return !pod.constraints.tolerations.empty() || !pod.lock_tolerations.some.empty() ||
         is_any_of("numericToleration", unmodelled);
}

ports::GroupStatus status_of(const PodGroupObject& group) {
  ports::GroupStatus status;
  status.phase = group.phase;
  status.min_member = group.min_member;
  static_cast<WrittenStatus&>(status) = group.written;
  status.started = group.started;
  return status;
}

}  // namespace

void ObservedState::observe(const ClusterEvent& event) {
  if (const auto* pod = std::get_if<PodObject>(&event)) {
    observe(*pod);
  } else if (const auto* gone_pod = std::get_if<PodDeleted>(&event)) {
    forget_pod(gone_pod->uid);
    marks_.erase(gone_pod->uid);
  } else if (const auto* group = std::get_if<PodGroupObject>(&event)) {
    observe(*group);
  } else if (const auto* gone_group = std::get_if<PodGroupDeleted>(&event)) {
    const auto known = groups_.find(gone_group->full_name);
    if (known == groups_.end()) return;
    marks_.erase(known->second.ref.uid);
    groups_.erase(known);
  } else if (const auto* queue = std::get_if<QueueObject>(&event)) {
    queues_[queue->name] = {{ObjectKind::queue, {}, queue->name, queue->uid}, queue->written};
  } else if (const auto* gone_queue = std::get_if<QueueDeleted>(&event)) {
    queues_.erase(gone_queue->name);
  } else if (const auto* node = std::get_if<NodeObject>(&event)) {
    observe(*node);
  } else if (const auto* gone_node = std::get_if<NodeDeleted>(&event)) {
    locks_.erase(gone_node->name);
  }
}

void ObservedState::observe(const PodObject& object) {
  if (object.group.empty()) keep_marks(object.uid, object.marks);
  const auto& ours = managed_schedulers_;
  const bool is_ours = is_any_of(object.scheduler_name, ours);
  if (!is_ours || !object.node_name.empty() || object.terminating || object.has_ended()) {
    return forget_pod(object.uid);
  }
  ObservedPod& pod = pods_[object.uid];
  pod.ref = {ObjectKind::pod, object.name_space, object.name, object.uid};
  pod.group = object.group;
  pod.is_gated = is_any_of(kPlanGate, object.gates);
  if (!pod.nominated.empty() && object.nominated_node.empty()) {
    ++pod.nominations_lost;
    pod.lost_nomination = pod.nominated;
  }
  pod.nominated = object.nominated_node;
  pod.planned = object.planned_node;
  pod.unschedulable = object.unschedulable;
  pod.not_scheduled = object.not_scheduled;
  pod.has_tolerations = has_tolerations(object);
  pod.tolerated = object.lock_tolerations;
  const bool is_ours_to_clear = pod.is_gated || !pod.planned.empty();
  if (is_ours_to_clear && !pod.nominated.empty()) {
    nominated_.insert(object.uid);
  } else {
    nominated_.erase(object.uid);
  }
}

void ObservedState::observe(const PodGroupObject& object) {
  ObservedGroup& group = groups_[object.full_name()];
  if (group.ref.uid != object.uid) marks_.erase(group.ref.uid);
  group.ref = {ports::kind_of(object.api), object.name_space, object.name, object.uid};
  group.status = status_of(object);
  group.is_made_by_berth = object.is_made_by_berth;
  group.queue = object.queue;
  keep_marks(object.uid, object.marks);
}

void ObservedState::observe(const NodeObject& object) {
  ports::NodeLock lock{{}, {}, object.has_lock_taint};
  lock.has_queue_taint = object.has_queue_lock_taint;
  if (is_for_job(object.locked_for)) {
    lock.locked_for = object.locked_for;
    lock.since = object.locked_since.value_or(TimePoint());
  }
  if (!object.locked_for_queue.empty()) {
    lock.queue = object.locked_for_queue;
    lock.queue_since = object.locked_for_queue_since.value_or(TimePoint());
  }
  if (lock == ports::NodeLock()) {
    locks_.erase(object.name);
  } else {
    locks_[object.name] = {{ObjectKind::node, {}, object.name, object.uid}, std::move(lock)};
  }
}

void ObservedState::forget_pod(const std::string& uid) {
  pods_.erase(uid);
  nominated_.erase(uid);
}

void ObservedState::keep_marks(const std::string& uid, const TargetMarks& marks) {
  put_or_erase(marks_, uid, marks, marks != TargetMarks());
}

const ObservedPod* ObservedState::pod(const std::string& uid) const {
  return find_value(pods_, uid);
}

const ObservedGroup* ObservedState::group(const std::string& full_name) const {
  return find_value(groups_, full_name);
}

const ObservedQueue* ObservedState::queue(const std::string& name) const {
  return find_value(queues_, name);
}

const TargetMarks& ObservedState::marks_of(const std::string& job_uid) const {
  static const TargetMarks kNone;
  const TargetMarks* marks = find_value(marks_, job_uid);
  return marks == nullptr ? kNone : *marks;
}

std::set<std::string> ObservedState::nodes_locked_for(const std::string& job_uid) const {
  std::set<std::string> nodes;
  const std::string locked_for = lock_text(job_uid);
  for (const auto& [node, observed] : locks_) {
    if (observed.lock.locked_for == locked_for) nodes.insert(node);
  }
  return nodes;
}

}  // namespace berth::reconcile
