#include "embedded/kubelet.h"

#include <algorithm>

namespace berth::embedded {
namespace {

constexpr Duration kOrphanStays = std::chrono::seconds(20);

// Also one that a manifest calls running, without a time.
bool is_to_start(const PodObject& pod) {
  return pod.phase == PodPhase::pending || (pod.phase == PodPhase::running && !pod.started);
}

}  // namespace

Kubelet::Kubelet(Executor& executor, ApiServer& server, Duration grace)
    : executor_(executor), server_(server), grace_(grace) {
  server_.follow([this](const ApiServer::Change& change) {
    if (const auto* const pod = std::get_if<PodObject>(&change.event)) pod_changed(*pod);
    if (change.kind == Kind::node && change.type == "ADDED") node_came(change.key);
  });
}

void Kubelet::pod_changed(const PodObject& pod) {
  const std::string& uid = pod.uid;
  if (pod.terminating) {
    executor_.after(grace_, [this, uid] {
      const PodObject* const its = server_.find<PodObject>(uid);
      if (its != nullptr && its->terminating) server_.erase<PodObject>(uid);
    });
  } else if (!pod.node_name.empty() && server_.find<NodeObject>(pod.node_name) == nullptr) {
    executor_.after(kOrphanStays, [this, uid] { collect(uid); });
  } else if (!pod.node_name.empty() && is_to_start(pod)) {
    executor_.post([this, uid] { run(uid); });
  } else if (pod.phase == PodPhase::running && pod.started && pod.run_time) {
    const Duration left = *pod.started + *pod.run_time - executor_.now();
    executor_.after(std::max(left, Duration()), [this, uid] { end(uid); });
  }
}

// Pods may have been bound to it before.
void Kubelet::node_came(const std::string& node) {
  for (const auto& [uid, pod] : server_.all<PodObject>()) {
    if (pod.object.node_name == node) pod_changed(pod.object);
  }
}

void Kubelet::run(const std::string& uid) {
  server_.change<PodObject>(uid, [this](PodObject& pod) {
    if (pod.terminating || pod.node_name.empty() || !is_to_start(pod)) return;
    pod.phase = PodPhase::running;
    if (!pod.started) pod.started = executor_.now();
    if (!pod.scheduled) pod.scheduled = executor_.now();
  });
}

void Kubelet::end(const std::string& uid) {
  server_.change<PodObject>(uid, [this](PodObject& pod) {
    const bool is_over = pod.phase == PodPhase::running && !pod.terminating && pod.run_time &&
                         *pod.started + *pod.run_time <= executor_.now();
    if (is_over) pod.phase = PodPhase::succeeded;
  });
}

void Kubelet::collect(const std::string& uid) {
  const PodObject* const pod = server_.find<PodObject>(uid);
  if (pod != nullptr && server_.find<NodeObject>(pod->node_name) == nullptr) {
    server_.erase<PodObject>(uid);
  }
}

}  // namespace berth::embedded
