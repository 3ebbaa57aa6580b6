#include <algorithm>

#include "world/inhabitants.h"

// Inhabitants: the kubelets of all nodes.

namespace berth::world {

// Some take their grace period, longer than another berthd needs to lead, and a few hang.
void Inhabitants::stop_pod(const std::string& uid) {
  const bool hangs = agenda_.happens(network_.faults.hung_pod);
  const Duration longest = agenda_.happens(250) ? Duration(150s) : Duration(10s);
  const Duration length = hangs ? agenda_.between(5min, 15min) : agenda_.between(100ms, longest);
  agenda_.after(length, [this, uid] { server_.erase<PodObject>(uid); });
}

void Inhabitants::run(const std::string& uid) {
  const PodObject* const pod = server_.find<PodObject>(uid);
  const Job* const job = job_of(uid);
  if (pod == nullptr || job == nullptr || pod->terminating || pod->phase != PodPhase::pending) {
    return;
  }
  if (!is_admitted(*pod)) return refuse(*pod);
  const bool fails = agenda_.happens(network_.faults.pod_failure);
  const Duration length = fails ? agenda_.between(100ms, job->run_time) : job->run_time;
  server_.change<PodObject>(uid, [this](PodObject& each) {
    each.phase = PodPhase::running;
    each.started = agenda_.now();
  });
  work(uid, length, fails);
}

// By the pods that run there, also those that leave.
bool Inhabitants::is_admitted(const PodObject& pod) const {
  const NodeObject* const node = server_.find<NodeObject>(pod.node_name);
  if (node == nullptr) return true;  // it is collected
  for (const auto& [resource, asked] : pod.request) {
    std::int64_t room = node->allocatable.at(resource);
    for (const auto& [uid, other] : server_.all<PodObject>()) {
      const bool runs = other.object.phase == PodPhase::running;
      if (runs && other.object.node_name == pod.node_name) {
        room -= other.object.request.at(resource);
      }
    }
    if (asked > room) return false;
  }
  return true;
}

void Inhabitants::refuse(const PodObject& pod) {
  agenda_.note("the kubelet of " + pod.node_name + " has no room for " + pod.name);
  const std::string uid = pod.uid;
  server_.change<PodObject>(uid, [](PodObject& each) { each.phase = PodPhase::failed; });
}

// Until the minimum runs, a member of a gang waits for the others.
void Inhabitants::work(const std::string& uid, Duration length, bool fails) {
  const PodObject* const pod = server_.find<PodObject>(uid);
  const auto owner = owns_.find(uid);
  if (pod == nullptr || owner == owns_.end() || pod->terminating) return;
  Job& job = jobs_.at(owner->second);
  const auto running = std::count_if(job.pods.begin(), job.pods.end(), [&](const auto& each) {
    const PodObject* const peer = server_.find<PodObject>(each);
    return peer != nullptr && peer->phase == PodPhase::running && !peer->terminating;
  });
  job.has_worked = job.has_worked || running >= job.minimum;
  if (!job.has_worked && !fails) {
    return agenda_.after(1s, [this, uid, length, fails] { work(uid, length, fails); });
  }
  agenda_.after(length, [this, uid, fails] {
    const PodObject* const running_pod = server_.find<PodObject>(uid);
    if (running_pod == nullptr || running_pod->terminating) return;
    server_.change<PodObject>(uid, [fails](PodObject& each) {
      each.phase = fails ? PodPhase::failed : PodPhase::succeeded;
    });
  });
}

}  // namespace berth::world
