#include "world/autoscaler.h"

#include <algorithm>

#include "world/inhabitants.h"

namespace berth::world {
namespace {

constexpr std::size_t kNodesMost = 4;
constexpr const char* kNotReady = "node.kubernetes.io/not-ready";
constexpr const char* kToBeDeleted = "ToBeDeletedByClusterAutoscaler";

bool is_its(const std::string& node) { return node.starts_with("a"); }

}  // namespace

void Autoscaler::begin() {
  patience_ = agenda_.between(30s, 10min);
  look();
}

void Autoscaler::look() {
  std::size_t nodes = coming_;
  for (const auto& [name, node] : server_.all<NodeObject>()) nodes += is_its(name) ? 1U : 0U;
  for (std::size_t i = count_missing(); i > coming_ && nodes < kNodesMost; --i, ++nodes) {
    ++coming_;
    agenda_.after(agenda_.between(5s, 40s), [this] { add_node(); });
  }
  look_at_idle();
  agenda_.after(10s, [this] { look(); });
}

bool Autoscaler::is_ready(const NodeObject& node) const {
  return !node.unschedulable && node.taints.empty();
}

// Nodes for the pods that find no room on those that are there, first fit.
std::size_t Autoscaler::count_missing() const {
  std::map<std::string, std::int64_t> room;
  for (const auto& [name, node] : server_.all<NodeObject>()) {
    if (is_ready(node.object)) room[name] = node.object.allocatable.at("cpu");
  }
  for (const auto& [uid, pod] : server_.all<PodObject>()) {
    const auto at = room.find(pod.object.node_name);
    if (at != room.end() && takes_room(pod.object)) at->second -= pod.object.request.at("cpu");
  }
  std::size_t missing = 0;
  for (const auto& [uid, stored] : server_.all<PodObject>()) {
    const PodObject& pod = stored.object;
    if (!pod.node_name.empty() || pod.not_scheduled != "Unschedulable") continue;
    const std::int64_t cpu = pod.request.at("cpu");
    auto at = std::find_if(room.begin(), room.end(),
                           [cpu](const auto& each) { return each.second >= cpu; });
    if (at == room.end()) {
      at = room.emplace("to come " + std::to_string(++missing), Inhabitants::kNodeCpu).first;
    }
    at->second -= cpu;
  }
  return missing;
}

void Autoscaler::add_node() {
  --coming_;
  NodeObject node;
  node.name = "a" + std::to_string(++last_);
  node.uid = "node-" + node.name;
  node.created = agenda_.now();
  node.labels = {{"kubernetes.io/hostname", node.name}};
  node.allocatable = {{"cpu", Inhabitants::kNodeCpu}, {"pods", 20}};
  node.taints = {{kNotReady, "", TaintEffect::no_schedule}};
  agenda_.after(agenda_.between(1s, 5s), [this, name = node.name] {
    server_.change<NodeObject>(name, [](NodeObject& each) {
      std::erase_if(each.taints, [](const Taint& taint) { return taint.key == kNotReady; });
    });
  });
  agenda_.note("the autoscaler adds " + node.name);
  server_.put(std::move(node));
}

void Autoscaler::look_at_idle() {
  std::map<std::string, int> pods;
  for (const auto& [uid, pod] : server_.all<PodObject>()) {
    if (takes_room(pod.object)) ++pods[pod.object.node_name];
  }
  std::string to_remove;
  for (const auto& [name, node] : server_.all<NodeObject>()) {
    if (!is_its(name) || !is_ready(node.object)) continue;
    const bool is_drained = !is_calm_ && pods[name] <= 2 && agenda_.happens(10);
    if (pods[name] > 0) idle_since_.erase(name);
    if (pods[name] > 0 && !is_drained) continue;
    const TimePoint since = idle_since_.try_emplace(name, agenda_.now()).first->second;
    if (is_drained || agenda_.now() - since >= patience_) to_remove = name;
  }
  if (!to_remove.empty()) remove(to_remove);
}

void Autoscaler::remove(const std::string& node) {
  agenda_.note("the autoscaler removes " + node);
  idle_since_.erase(node);
  server_.change<NodeObject>(node, [](NodeObject& each) {
    each.taints.push_back({kToBeDeleted, "1", TaintEffect::no_schedule});
  });
  agenda_.after(agenda_.between(5s, 15s), [this, node] {
    std::vector<std::string> evicted;
    for (const auto& [uid, pod] : server_.all<PodObject>()) {
      if (pod.object.node_name == node) evicted.push_back(uid);
    }
    for (const std::string& uid : evicted) server_.delete_pod(uid);
    agenda_.after(agenda_.between(1s, 15s), [this, node] { server_.delete_node(node); });
  });
}

}  // namespace berth::world
