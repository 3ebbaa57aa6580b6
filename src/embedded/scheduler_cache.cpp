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

void add(std::vector<HostPort>& to, const std::vector<HostPort>& ports) {
  for (const HostPort& port : ports) {
    if (std::find(to.begin(), to.end(), port) == to.end()) to.push_back(port);
  }
}

std::string zone_of(const NodeObject& node) {
  const auto label = [&](const char* old_key, const char* key) {
    auto found = node.labels.find(old_key);
    if (found == node.labels.end()) found = node.labels.find(key);
    return found == node.labels.end() ? std::string() : found->second;
  };
  return label("failure-domain.beta.kubernetes.io/region", "topology.kubernetes.io/region") + ":" +
         label("failure-domain.beta.kubernetes.io/zone", "topology.kubernetes.io/zone");
}

}  // namespace

void SchedulerCache::put(const NodeObject& object) {
  Node& node = nodes_[object.name];
  std::string zone = zone_of(object);
  const bool is_new = !std::exchange(node.exists, true);
  if (is_new) {
    unlisted_ += node.is_listed ? -1 : 1;
  } else if (zone != node.zone) {
    leave_zone(node);
  }
  if (is_new || zone != node.zone) enter_zone(node, std::move(zone));
  node.object = object;
  node.allocatable = amounts(object.allocatable);
}

void SchedulerCache::drop(const std::string& name) {
  const auto found = nodes_.find(name);
  if (found == nodes_.end() || !std::exchange(found->second.exists, false)) return;
  unlisted_ += found->second.is_listed ? 1 : -1;
  leave_zone(found->second);
}

void SchedulerCache::enter_zone(Node& node, std::string zone) {
  node.zone = std::move(zone);
  const auto found = std::find_if(zones_.begin(), zones_.end(), [&](const auto& each) {
    return each.front()->zone == node.zone;
  });
  if (found == zones_.end()) {
    zones_.push_back({&node});
  } else {
    found->push_back(&node);
  }
}

void SchedulerCache::leave_zone(Node& node) {
  for (auto& zone : zones_) std::erase(zone, &node);
  std::erase_if(zones_, [](const auto& zone) { return zone.empty(); });
}

void SchedulerCache::begin_cycle() {
  if (unlisted_ == 0) return;
  unlisted_ = 0;
  order_.clear();
  for (std::size_t turn = 0, before = 1; before != 0; ++turn) {
    before = 0;
    for (const auto& zone : zones_) {
      if (turn < zone.size()) order_.push_back(zone[turn]);
      before += turn < zone.size();
    }
  }
  for (auto& [name, node] : nodes_) node.is_listed = node.exists;
  std::erase_if(nodes_, [this](const auto& entry) {
    const Node& node = entry.second;
    return !node.exists && node.nominated.empty() && at(node.used, pods_) == 0;
  });
}

void SchedulerCache::place(const PodObject& pod, const std::string& name) {
  remove(pod.uid);
  nominate(pod, {});
  Load taken = load(pod, name);
  Node& node = nodes_[name];
  add(node.used, taken.request, +1);
  add(node.ports, taken.ports);
  placed_.emplace(pod.uid, std::move(taken));
}

bool SchedulerCache::remove(const std::string& pod_uid) {
  const auto found = placed_.find(pod_uid);
  if (found == placed_.end()) return false;
  const Load& taken = found->second;
  Node& node = nodes_.at(taken.node);
  add(node.used, taken.request, -1);
  for (const HostPort& port : taken.ports) std::erase(node.ports, port);
  placed_.erase(found);
  return true;
}

SchedulerCache::Trial::Trial(SchedulerCache& cache, const PodObject& pod, const Node& node)
    : cache_(cache), pod_(pod), wanted_(cache.load(pod, node.object.name)), node_(node) {}

void SchedulerCache::Trial::remove(const std::string& pod_uid) {
  const Load& its = cache_.placed_.at(pod_uid);
  add(node_.used, its.request, -1);
  for (const HostPort& port : its.ports) std::erase(node_.ports, port);
}

void SchedulerCache::Trial::add_again(const std::string& pod_uid) {
  const Load& its = cache_.placed_.at(pod_uid);
  add(node_.used, its.request, +1);
  add(node_.ports, its.ports);
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

std::set<std::string> SchedulerCache::pods_on(const std::string& node) const {
  std::set<std::string> pods;
  for (const auto& [uid, load] : placed_) {
    if (load.node == node) pods.insert(uid);
  }
  return pods;
}

bool SchedulerCache::judge(const PodObject& pod, const Node& node, Refusals& refusals) {
  return judge(pod, load(pod, node.object.name), node, refusals);
}

bool SchedulerCache::judge(const PodObject& pod, const Load& wanted, const Node& node,
                           Refusals& refusals) const {
  const Rejectors by = judge(pod, wanted, node);
  if (by == 0) return true;
  refusals.by = static_cast<Rejectors>(refusals.by | by);
  bool is_large_enough = by == kByResources || by == kByPorts;
  for (std::size_t i = 0; by == kByResources && i < wanted.request.size(); ++i) {
    if (i == pods_) continue;  // kube-scheduler does not look at how many a node has at most
    is_large_enough = is_large_enough && wanted.request[i] <= at(node.allocatable, i);
  }
  if (is_large_enough) refusals.preemptable.insert(node.object.name);
  return false;
}

std::vector<const SchedulerCache::Node*> SchedulerCache::sample(const PodObject& pod,
                                                                int percentage, Refusals& refusals,
                                                                const std::string& only,
                                                                const Node* refused) {
  std::vector<const Node*> feasible;
  const Node* const pinned = only.empty() ? nullptr : find(only);
  const std::size_t count = only.empty() ? order_.size() : pinned != nullptr;
  const std::size_t enough = feasible_nodes_to_find(count, percentage);
  const Load wanted = load(pod, {});
  std::size_t looked_at = 0;
  for (; looked_at < count; ++looked_at) {
    const Node& node =
        pinned != nullptr ? *pinned : *order_[(next_start_ + looked_at) % order_.size()];
    if (judge(pod, wanted, node, refusals)) {
      if (feasible.size() == enough) break;
      feasible.push_back(&node);
    }
    if (&node == refused) refused = nullptr;
  }
  if (count == 0 && !order_.empty()) refusals.by = static_cast<Rejectors>(refusals.by | kByNode);
  if (refused != nullptr) ++looked_at;
  if (!order_.empty()) next_start_ = (next_start_ + looked_at) % order_.size();
  return feasible;
}

std::size_t SchedulerCache::index_of(const std::string& resource) {
  return resources_.try_emplace(resource, resources_.size()).first->second;
}

Amounts SchedulerCache::amounts(const NamedAmounts& named) {
  Amounts amounts;
  for (const auto& [name, amount] : named) {
    const std::size_t index = index_of(name);
    if (amounts.size() <= index) amounts.resize(index + 1);
    amounts[index] = amount;
  }
  return amounts;
}

SchedulerCache::Load SchedulerCache::load(const PodObject& pod, const std::string& node) {
  Load load{node, pod.priority.value_or(0), amounts(pod.request), pod.constraints.host_ports};
  if (load.request.size() <= pods_) load.request.resize(pods_ + 1);
  load.request[pods_] = 1;  // every pod counts as one, whatever it requests
  return load;
}

// Nominated pods only take room. kube-scheduler also filters without them, but that pass never
// refuses more. The first filter that refuses is the one that counts.
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
  const std::vector<HostPort>& open = is_nominated ? ports : node.ports;
  if (ports_clash(wanted.ports, open)) return kByPorts;
  const Amounts& taken = is_nominated ? used : node.used;
  for (std::size_t i = 0; i < wanted.request.size(); ++i) {
    const std::int64_t asked = wanted.request[i];
    if (asked > 0 && asked > at(node.allocatable, i) - at(taken, i)) return kByResources;
  }
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
