#include "embedded/kube_scheduler.h"

// The stand-in's reaction to changes in the cluster: its cache, its nominations, and the pods that
// a change wakes.

namespace berth::embedded {
namespace {

// Of a pod without gates, users can change nothing else that matters.
WakeUp change_of(const PodObject& old, const PodObject& pod) {
  if (old.request != pod.request) return WakeUp::own_request;
  const bool is_same =
      old.constraints == pod.constraints && old.lock_tolerations == pod.lock_tolerations;
  return is_same ? WakeUp::own_status : WakeUp::own_tolerations;
}

}  // namespace

void KubeScheduler::server_changed(const ApiServer::Change& change) {
  if (change.kind == Kind::pod && request_ != nullptr) request_->server_changed();
  if (change.kind != Kind::node) return;
  parts_.executor.after(parts_.link.hop(), [this, change] {
    std::uint64_t& version = node_versions_[change.key];
    if (change.version < version) return;  // a newer change was faster
    version = change.version;
    const auto* const node = std::get_if<NodeObject>(&change.event);
    WakeUp wake_up = WakeUp::node_gone;
    if (node == nullptr) {
      cache_.drop(change.key);
    } else {
      wake_up = cache_.find(change.key) == nullptr ? WakeUp::node_came : WakeUp::node_change;
      cache_.put(*node);
    }
    queue_.wake_all(wake_up, parts_.executor.now());
    cycle_soon();
  });
}

// The API server has all that the view does not change.
void KubeScheduler::take(const ShownPod& shown) {
  const PodObject* const pod = parts_.server.find<PodObject>(shown.uid);
  if (!shown.is_bound()) {
    if (pod == nullptr || !is_its_own(*pod)) return;
    PodObject waiting = *pod;
    waiting.nominated_node = shown.nominated;
    return take_waiting(shown, waiting);
  }
  queue_.erase(shown.uid);
  if (tried_ == shown.uid) tried_.clear();
  assumed_.erase(shown.uid);
  Known& known = pods_[shown.uid];
  known.shown = shown;
  if (pod != nullptr) known.pod = *pod;
  if (known.pod.uid.empty()) return;  // it has gone, and this was all that was seen of it
  cache_.place(known.pod, shown.node);
  queue_.wake_all(WakeUp::pod_placed, parts_.executor.now());
}

void KubeScheduler::take_waiting(const ShownPod& shown, const PodObject& pod) {
  const auto [known, is_new] = pods_.try_emplace(pod.uid);
  const Known old = std::exchange(known->second, {shown, pod});
  const TimePoint now = parts_.executor.now();
  if (assumed_.contains(pod.uid)) {  // the queue waits for the end of the binding
    if (!pod.terminating || old.pod.terminating) return;
    parts_.informer.forget(pod.uid);
    cache_.remove(pod.uid);
    return queue_.wake_all(WakeUp::pod_gone, now);
  }
  // The nomination of a newly added gated pod is registered at its next change.
  if (!is_new || pod.gates.empty()) set_nomination(pod, old.pod.nominated_node);
  queue_.put(pod.uid, pod.priority.value_or(0), !pod.gates.empty(), now);
  if (is_new) return;
  queue_.wake(pod.uid, change_of(old.pod, pod), now);
}

void KubeScheduler::take_gone(const std::string& uid) {
  const auto gone = pods_.extract(uid);
  if (gone.empty()) return;
  assumed_.erase(uid);
  preempted_.erase(uid);
  queue_.erase(uid);
  if (tried_ == uid) tried_.clear();
  if (cache_.remove(uid)) queue_.wake_all(WakeUp::pod_gone, parts_.executor.now());
  PodObject without = gone.mapped().pod;
  const std::string old_node = std::exchange(without.nominated_node, {});
  set_nomination(without, old_node);
}

// From 1.35, the end of a nomination frees room for pods of no higher priority, like a deleted pod.
void KubeScheduler::set_nomination(const PodObject& pod, const std::string& old_node) {
  cache_.nominate(pod, pod.nominated_node);
  if (old_node.empty() || old_node == pod.nominated_node) return;
  queue_.wake_up_to(WakeUp::pod_gone, pod.priority.value_or(0), parts_.executor.now());
}

}  // namespace berth::embedded
