#include <type_traits>
#include <utility>

#include "embedded/scheduling_loop.h"

// The stand-in's reaction to changes in the cluster: its cache, its nominations, and the pods that
// a change wakes.

namespace berth::embedded {
namespace {

bool has_ended(const PodObject& pod) {
  return pod.phase == PodPhase::succeeded || pod.phase == PodPhase::failed;
}

bool asks_the_same(const PodObject& left, const PodObject& right) {
  return left.request == right.request && left.constraints == right.constraints &&
         left.lock_tolerations == right.lock_tolerations;
}

}  // namespace

void SchedulingLoop::take(ClusterEvent event) {
  std::visit(
      [this](auto& what) {
        using What = std::decay_t<decltype(what)>;
        if constexpr (std::is_same_v<What, NodeObject>) {
          cache_.put(what);
          queue_.wake_all(WakeUp::node_change, clock_.now());
        } else if constexpr (std::is_same_v<What, NodeDeleted>) {
          cache_.drop(what.name);
        } else if constexpr (std::is_same_v<What, PodObject>) {
          take_pod(std::move(what));
        } else if constexpr (std::is_same_v<What, PodDeleted>) {
          take_deleted(what.uid);
        }
      },
      event);
}

void SchedulingLoop::take_pod(PodObject pod) {
  if (has_ended(pod)) {
    take_deleted(pod.uid);  // the informer leaves such pods out
  } else if (!pod.node_name.empty()) {
    take_assigned(std::move(pod));
  } else {
    take_waiting(std::move(pod));
  }
}

void SchedulingLoop::take_assigned(PodObject pod) {
  queue_.erase(pod.uid);
  assumed_.erase(pod.uid);
  cache_.place(pod, pod.node_name);
  const std::string uid = pod.uid;
  pods_[uid] = std::move(pod);
  queue_.wake_all(WakeUp::pod_placed, clock_.now());
}

void SchedulingLoop::take_waiting(PodObject pod) {
  const auto known = pods_.find(pod.uid);
  if (known != pods_.end() && assumed_.contains(pod.uid)) {
    known->second = std::move(pod);  // cache and queue wait for the end of the binding
    return;
  }
  const std::string uid = pod.uid;
  const bool is_new = known == pods_.end();
  const PodObject old = is_new ? PodObject{} : known->second;
  pods_[uid] = pod;
  // The nomination of a newly added gated pod is registered at its next change.
  if (!is_new || pod.gates.empty()) set_nomination(pod, old.nominated_node);
  const TimePoint now = clock_.now();
  queue_.put(uid, pod.priority.value_or(0), !pod.gates.empty(), now);
  if (is_new || old == pod) return;
  queue_.wake(uid, asks_the_same(old, pod) ? WakeUp::own_status : WakeUp::own_spec, now);
}

void SchedulingLoop::take_deleted(const std::string& uid) {
  const auto known = pods_.find(uid);
  if (known == pods_.end()) return;
  const PodObject pod = std::move(known->second);
  pods_.erase(known);
  assumed_.erase(uid);
  queue_.erase(uid);
  const TimePoint now = clock_.now();
  if (cache_.remove(uid)) queue_.wake_all(WakeUp::pod_gone, now);
  PodObject without = pod;
  without.nominated_node.clear();
  set_nomination(without, pod.nominated_node);
}

// From 1.35, the end of a nomination frees room for pods of no higher priority, like a deleted pod.
void SchedulingLoop::set_nomination(const PodObject& pod, const std::string& old_node) {
  cache_.nominate(pod, pod.nominated_node);
  if (old_node.empty() || old_node == pod.nominated_node) return;
  queue_.wake_up_to(WakeUp::pod_gone, pod.priority.value_or(0), clock_.now());
}

void SchedulingLoop::take(const BindEnd& end) {
  count(&KubeSchedulerCounts::outstanding_binds, -1);
  const auto assumed = assumed_.find(end.pod_uid);
  // The pod was bound, deleted or assumed again meanwhile: this answer no longer matters.
  if (assumed == assumed_.end() || assumed->second.attempt != end.attempt) return;
  if (end.error.empty()) {
    queue_.erase(end.pod_uid);  // stays assumed until the informer shows it bound
    return;
  }
  count(&KubeSchedulerCounts::errors);
  assumed_.erase(assumed);
  cache_.remove(end.pod_uid);
  const TimePoint now = clock_.now();
  queue_.fail(end.pod_uid, now);
  queue_.wake_all(WakeUp::pod_gone, now);
  clear_nomination(end.pod_uid);
}

}  // namespace berth::embedded
