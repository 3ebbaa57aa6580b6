#include "embedded/scheduler_cache.h"

#include <algorithm>
#include <utility>

#include "embedded/in_tree_filters.h"

namespace berth::embedded {
namespace {

using Amounts = SchedulerCache::Amounts;

std::int64_t at(const Amounts& amounts, std::size_t index) {
  return index < amounts.size() ? amounts[index] : 0;
}

void add(Amounts& total, const Amounts& amounts, std::int64_t sign) {
  if (total.size() < amounts.size()) total.resize(amounts.size());
  for (std::size_t i = 0; i < amounts.size(); ++i) total[i] += sign * amounts[i];
}

// Takes each out once, because two pods on one node never share a port.
void take_out(std::vector<HostPort>& from, const std::vector<HostPort>& ports) {
  for (const HostPort& port : ports) {
    const auto found = std::find(from.begin(), from.end(), port);
    if (found != from.end()) from.erase(found);
  }
}

}  // namespace

void SchedulerCache::put(const NodeObject& object) {
  Node& node = nodes_[object.name];
  if (!node.exists) order_.push_back(&node);
  node.exists = true;
  node.object = object;
  node.allocatable = amounts(object.allocatable);
}

void SchedulerCache::drop(const std::string& name) {
  const auto found = nodes_.find(name);
  if (found == nodes_.end() || !found->second.exists) return;
  std::erase(order_, &found->second);
  found->second.exists = false;
  const bool is_named = std::any_of(placed_.begin(), placed_.end(),
                                    [&](const auto& entry) { return entry.second.node == name; });
  if (!is_named && found->second.nominated.empty()) nodes_.erase(found);
}

void SchedulerCache::place(const PodObject& pod, const std::string& name) {
  remove(pod.uid);
  nominate(pod, {});
  Load taken = load(pod, name);
  Node& node = nodes_[name];
  add(node.used, taken.request, +1);
  node.ports.insert(node.ports.end(), taken.ports.begin(), taken.ports.end());
  placed_.emplace(pod.uid, std::move(taken));
}

bool SchedulerCache::remove(const std::string& pod_uid) {
  const auto found = placed_.find(pod_uid);
  if (found == placed_.end()) return false;
  const Load& taken = found->second;
  Node& node = nodes_.at(taken.node);
  add(node.used, taken.request, -1);
  take_out(node.ports, taken.ports);
  placed_.erase(found);
  return true;
}

void SchedulerCache::nominate(const PodObject& pod, const std::string& name) {
  const auto old = nominations_.find(pod.uid);
  if (old != nominations_.end()) {
    nodes_.at(old->second).nominated.erase(pod.uid);
    nominations_.erase(old);
  }
  if (name.empty()) return;
  nodes_[name].nominated.emplace(pod.uid, load(pod, name));
  nominations_.emplace(pod.uid, name);
}

const SchedulerCache::Node* SchedulerCache::find(const std::string& name) const {
  const auto found = nodes_.find(name);
  return found == nodes_.end() || !found->second.exists ? nullptr : &found->second;
}

Rejectors SchedulerCache::judge(const PodObject& pod, const Node& node) {
  return judge(pod, load(pod, node.object.name), node);
}

std::vector<const SchedulerCache::Node*> SchedulerCache::sample(const PodObject& pod,
                                                                int percentage, Rejectors& by) {
  std::vector<const Node*> feasible;
  const std::size_t count = order_.size();
  const std::size_t enough = feasible_nodes_to_find(count, percentage);
  const Load wanted = load(pod, {});
  std::size_t looked_at = 0;
  for (; looked_at < count && feasible.size() < enough; ++looked_at) {
    const Node& node = *order_[(next_start_ + looked_at) % count];
    const Rejectors rejectors = judge(pod, wanted, node);
    if (rejectors == 0) feasible.push_back(&node);
    by = static_cast<Rejectors>(by | rejectors);
  }
  if (count != 0) next_start_ = (next_start_ + looked_at) % count;
  return feasible;
}

Amounts SchedulerCache::amounts(const NamedAmounts& named) {
  Amounts amounts;
  for (const auto& [name, amount] : named) {
    const std::size_t index = resources_.try_emplace(name, resources_.size()).first->second;
    if (amounts.size() <= index) amounts.resize(index + 1);
    amounts[index] = amount;
  }
  return amounts;
}

SchedulerCache::Load SchedulerCache::load(const PodObject& pod, const std::string& node) {
  Load load{node, pod.priority.value_or(0), amounts(pod.request), pod.constraints.host_ports};
  const std::size_t pods = resources_.try_emplace("pods", resources_.size()).first->second;
  if (load.request.size() <= pods) load.request.resize(pods + 1);
  load.request[pods] = 1;  // every pod counts as one, whatever it requests
  return load;
}

// Nominated pods only take room. kube-scheduler also filters without them, but that pass never
// refuses more.
Rejectors SchedulerCache::judge(const PodObject& pod, const Load& wanted, const Node& node) const {
  if (!node_admits(node.object, pod)) return kByNode;
  Amounts used;
  std::vector<HostPort> ports;
  const bool is_nominated = !node.nominated.empty();
  if (is_nominated) {
    used = node.used;
    ports = node.ports;
    for (const auto& [uid, nominee] : node.nominated) {
      if (uid == pod.uid || nominee.priority < wanted.priority) continue;
      add(used, nominee.request, +1);
      ports.insert(ports.end(), nominee.ports.begin(), nominee.ports.end());
    }
  }
  const Amounts& taken = is_nominated ? used : node.used;
  for (std::size_t i = 0; i < wanted.request.size(); ++i) {
    const std::int64_t asked = wanted.request[i];
    if (asked > 0 && asked > at(node.allocatable, i) - at(taken, i)) return kByResources;
  }
  const std::vector<HostPort>& open = is_nominated ? ports : node.ports;
  if (ports_clash(wanted.ports, open)) return kByResources;
  return 0;
}

std::size_t feasible_nodes_to_find(std::size_t nodes, int percentage) {
  constexpr std::size_t kFewest = 100;
  if (nodes < kFewest) return nodes;
  std::size_t share = static_cast<std::size_t>(std::max(percentage, 0));
  if (share == 0) share = nodes / 125 < 45 ? 50 - nodes / 125 : 5;
  return std::max(nodes * share / 100, kFewest);
}

}  // namespace berth::embedded
