#include "embedded/api_server.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace berth::embedded {
namespace {

constexpr std::array kKindNames{"priorityclasses", "namespaces",    "queues",     "nodes",
                                "topologies",      "deviceclasses", "storage",    "storage known",
                                "selecting",       "owners",        "composites", "podgroups",
                                "budgets",         "pods"};
static_assert(kKindNames.size() == static_cast<std::size_t>(Kind::pod) + 1);

}  // namespace

const char* to_string(Kind kind) { return kKindNames.at(static_cast<std::size_t>(kind)); }

const PodObject* ApiServer::find_pod_named(const std::string& full_name) const {
  const auto uid = pod_uids_.find(full_name);
  return uid == pod_uids_.end() ? nullptr : find<PodObject>(uid->second);
}

void ApiServer::each_change_after(std::uint64_t version,
                                  const std::function<void(const Change&)>& use) const {
  const auto first =
      std::partition_point(changes_.begin(), changes_.end(),
                           [version](const auto& change) { return change->version <= version; });
  std::for_each(first, changes_.end(), [&](const auto& change) { use(*change); });
}

void ApiServer::compact() {
  oldest_ = version_;
  changes_.clear();
}

std::vector<ApiServer::Change> ApiServer::list() const {
  std::vector<Change> all;
  for (std::size_t kind = 0; kind < kKindNames.size(); ++kind) {
    for (Change& each : list(static_cast<Kind>(kind))) all.push_back(std::move(each));
  }
  return all;
}

std::vector<ApiServer::Change> ApiServer::list(Kind kind) const {
  std::vector<Change> all;
  const auto add = [&]<class Object>(const Objects<Object>& objects) {
    if (kind_of<Object>() != kind) return;
    for (const auto& [key, stored] : objects) {
      Change change{stored.version, kind, key, stored.object, "ADDED", "ADDED", {}};
      if constexpr (std::is_same_v<Object, PodObject>) {
        if (stored.object.has_ended()) change.selected.clear();
      }
      all.push_back(std::move(change));
    }
  };
  std::apply([&](const auto&... objects) { (add(objects), ...); }, objects_);
  return all;
}

// An ended pod is deleted for a client that selects the others.
void ApiServer::note(Change change, const PodObject* before, const PodObject* after) {
  const bool was_selected = before != nullptr && !before->has_ended();
  const bool is_selected = after != nullptr && !after->has_ended();
  if (is_selected) change.selected = was_selected ? "MODIFIED" : "ADDED";
  if (was_selected && !is_selected) change.selected = "DELETED";
  if (after == nullptr) change.last = *before;
  note(std::move(change));
}

void ApiServer::note(Change change) {
  changes_.push_back(std::make_shared<const Change>(std::move(change)));
  unseen_.push_back(changes_.back());
  if (changes_.size() > kChangesKept) {
    oldest_ = changes_.front()->version;
    changes_.pop_front();
  }
  if (std::exchange(is_showing_, true)) return;
  for (; !unseen_.empty(); unseen_.pop_front()) {
    for (const auto& follower : followers_) follower(*unseen_.front());
  }
  is_showing_ = false;
}

void ApiServer::delete_pod(const std::string& uid) {
  const PodObject* const pod = find<PodObject>(uid);
  if (pod == nullptr) return;
  if (pod->node_name.empty() || pod->has_ended()) return erase<PodObject>(uid);  // nothing to stop
  change<PodObject>(uid, [this](PodObject& each) {
    each.terminating = true;
    if (!each.times.grace_ends) each.times.grace_ends = clock_.now() + each.times.grace;
  });
}

// Also the work of the collector of orphaned pods.
void ApiServer::delete_node(const std::string& name) {
  erase<NodeObject>(name);
  std::vector<std::string> orphans;
  for (const auto& [uid, pod] : all<PodObject>()) {
    if (pod.object.node_name == name) orphans.push_back(uid);
  }
  for (const std::string& uid : orphans) erase<PodObject>(uid);
}

// As an API server does, without a look at the node.
ports::BindOutcome ApiServer::bind(const ports::Binding& binding) {
  const std::string name = binding.name_space + "/" + binding.name;
  const PodObject* const pod = find_pod_named(name);
  const auto refuse = [&](const std::string& why) {
    return ports::BindOutcome{false, fmt::format("pod \"{}\" {}", name, why)};
  };
  if (pod == nullptr) return refuse("not found");
  if (pod->uid != binding.uid) {
    return refuse(fmt::format("has uid \"{}\", the binding names \"{}\"", pod->uid, binding.uid));
  }
  if (pod->node_name == binding.node && !binding.node.empty()) return {true, ""};
  if (!pod->node_name.empty()) {
    return refuse(fmt::format("is already assigned to node \"{}\"", pod->node_name));
  }
  if (pod->terminating) return refuse("is being deleted");
  if (pod->has_ended()) return refuse("has finished");
  if (!pod->gates.empty()) {
    return refuse(fmt::format("has scheduling gate \"{}\"", pod->gates.front()));
  }
  change<PodObject>(binding.uid, [&](PodObject& each) {
    each.node_name = binding.node;
    each.nominated_node.clear();
    each.scheduled = clock_.now();
    each.not_scheduled.clear();
    each.unschedulable.clear();
  });
  return {true, ""};
}

}  // namespace berth::embedded
