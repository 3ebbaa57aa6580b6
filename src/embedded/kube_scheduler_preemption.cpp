#include <algorithm>
#include <utility>

#include "embedded/extender_wire.h"
#include "embedded/kube_scheduler.h"
#include "embedded/pod_json.h"

// The stand-in's preemption: of pods that are not managed, as of kube-scheduler's default profile.

namespace berth::embedded {
namespace {

std::vector<NodeVictims> wire_of(const std::vector<Victims>& candidates) {
  std::vector<NodeVictims> nodes;
  for (const Victims& each : candidates) {
    NodeVictims on{each.node, {}, each.violations};
    for (const PodObject& pod : each.pods) on.uids.push_back(pod.uid);
    nodes.push_back(std::move(on));
  }
  return nodes;
}

// Those that the guard has left. Empty, too, if it names a node or a pod that was not among them.
std::vector<Victims> those_left(const std::vector<Victims>& candidates,
                                const std::vector<NodeVictims>& nodes) {
  std::vector<Victims> left;
  for (const NodeVictims& each : nodes) {
    const auto asked = std::find_if(candidates.begin(), candidates.end(),
                                    [&](const Victims& on) { return on.node == each.node; });
    if (asked == candidates.end()) return {};
    Victims on{each.node, {}, each.violations};
    for (const PodObject& pod : asked->pods) {
      if (std::find(each.uids.begin(), each.uids.end(), pod.uid) != each.uids.end()) {
        on.pods.push_back(pod);
      }
    }
    if (on.pods.size() != each.uids.size()) return {};
    left.push_back(std::move(on));
  }
  return left;
}

}  // namespace

void KubeScheduler::find_victims(const Cycle& cycle) {
  const PodObject pod = pods_.at(cycle.pod.uid).pod;
  const Rejectors by = cycle.refusals.by;
  if (by != 0 && !may_preempt(pod, cycle)) return reject(pod, by, std::nullopt);
  std::vector<Victims> candidates;
  for (const std::string& name : cycle.refusals.preemptable) {
    const Node* const node = cache_.find(name);
    if (node == nullptr) continue;
    std::vector<PodObject> there;
    for (const std::string& uid : cache_.pods_on(name)) there.push_back(pods_.at(uid).pod);
    auto victims = victims_on(*node, pod, cache_, there, parts_.server.all<BudgetObject>());
    if (victims) candidates.push_back(*std::move(victims));
  }
  if (candidates.empty()) return reject(pod, by, "");
  if (parts_.extender != nullptr) return ask_guard(pod, by, std::move(candidates));
  preempt(pod, by, least_harm(candidates));
}

// Earlier victims may still be leaving its nominated node.
bool KubeScheduler::may_preempt(const PodObject& pod, const Cycle& cycle) const {
  if (pod.never_preempts) return false;
  if (!cycle.refusals.preemptable.contains(pod.nominated_node)) return true;
  const auto pods = cache_.pods_on(pod.nominated_node);
  return std::none_of(pods.begin(), pods.end(), [&](const std::string& uid) {
    const PodObject& its = pods_.at(uid).pod;
    return its.priority.value_or(0) < pod.priority.value_or(0) && its.terminating &&
           preempted_.contains(uid);
  });
}

// The entry is ignorable: all candidates are left if it fails.
void KubeScheduler::ask_guard(const PodObject& pod, Rejectors by, std::vector<Victims> candidates) {
  std::string body = preemption_args(pod_json(pod), wire_of(candidates));
  const auto then = [this, pod, by, candidates = std::move(candidates)](const std::string& error,
                                                                        const std::string& answer) {
    if (tried_.empty()) return end_cycle();
    std::vector<Victims> left = candidates;
    if (error.empty()) {
      if (const auto result = read_preemption_result(answer))
        left = those_left(candidates, *result);
    }
    if (left.empty()) return reject(pod, by, std::nullopt);
    preempt(pod, by, least_harm(left));
  };
  calls_.call("/guard/preempt", std::move(body), options_.plan_timeout, then);
}

void KubeScheduler::preempt(const PodObject& pod, Rejectors by, const Victims& victims) {
  std::vector<std::string> stay;  // and do not leave already
  for (const PodObject& each : victims.pods) {
    const auto known = pods_.find(each.uid);
    if (known != pods_.end() && !known->second.pod.terminating) stay.push_back(each.uid);
  }
  log("kube-scheduler preempts on " + victims.node + " for " + pod.full_name());
  if (!stay.empty()) queue_.hold(pod.uid);
  queue_.reject(pod.uid, by, parts_.executor.now());
  write_status(pod.uid, text_of(by), victims.node);
  if (!stay.empty()) end_nominations_below(pod, victims.node);
  delete_victims(pod.uid, stay);
  end_cycle();
}

// Pods of lower priority that are nominated to the node may find no room there any more.
void KubeScheduler::end_nominations_below(const PodObject& pod, const std::string& node) {
  const Node* const its = cache_.find(node);
  if (its == nullptr) return;
  for (const auto& [uid, load] : its->nominated) {
    const auto nominee = pods_.find(uid);
    if (load.priority >= pod.priority.value_or(0) || nominee == pods_.end()) continue;
    if (nominee->second.pod.nominated_node.empty()) continue;  // not written yet
    const PodObject& other = nominee->second.pod;
    request(
        {"PATCH", path_of(other.name_space, other.name) + "/status", {}},
        [this, uid = uid] {
          parts_.server.change<PodObject>(uid,
                                          [](PodObject& each) { each.nominated_node.clear(); });
          return std::string();
        },
        [](const std::string&) {});
  }
}

// The preemptor is not tried before all have been asked to leave.
void KubeScheduler::delete_victims(const std::string& preemptor,
                                   const std::vector<std::string>& uids) {
  struct Requests {
    std::size_t open = 0;
    bool has_failed = false;
  };
  const auto requests = std::make_shared<Requests>(Requests{uids.size(), false});
  for (const std::string& uid : uids) {
    preempted_.insert(uid);
    const PodObject& victim = pods_.at(uid).pod;
    request(
        {"DELETE", path_of(victim.name_space, victim.name), {}},
        [this, uid] {
          parts_.server.delete_pod(uid);
          return std::string();
        },
        [this, requests, preemptor](const std::string& error) {
          requests->has_failed = requests->has_failed || !error.empty();
          if (--requests->open > 0) return;
          queue_.release(preemptor, requests->has_failed);
          cycle_soon();
        });
  }
}

}  // namespace berth::embedded
