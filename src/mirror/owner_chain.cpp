#include "mirror/owner_chain.h"

#include <algorithm>

#include "berth/base/look_up.h"

namespace berth::mirror {

namespace {

constexpr const char* kLeaderWorkerSet = "LeaderWorkerSet";
constexpr const char* kLeaderWorkerSets = "leaderworkerset.x-k8s.io";
constexpr const char* kSetLabel = "leaderworkerset.sigs.k8s.io/name";
constexpr const char* kGroupLabel = "leaderworkerset.sigs.k8s.io/group-index";
constexpr std::size_t kDepthMax = 8;

std::string label_of(const PodObject& pod, std::string_view key) {
  for (const auto& [name, value] : pod.labels) {
    if (name == key) return value;
  }
  return {};
}

std::string key_of_set(const std::string& name_space, const std::string& name) {
  return std::string(kLeaderWorkerSet) + " " + name_space + "/" + name;
}

bool is_a(const OwnerReference& reference, std::string_view kind, std::string_view group) {
  return reference.kind == kind && reference.group() == group;
}

// OWNED-2. The Jobs of a JobSet are one gang, and so are an MPIJob's workers and its launcher's
// Job. Other Jobs are gangs of their own: a RayJob's only submits.
bool is_part_of_another(const OwnerObject& object) {
  return is_a(object.self, "Job", "batch") &&
         (is_a(object.controller, "JobSet", "jobset.x-k8s.io") ||
          is_a(object.controller, "MPIJob", "kubeflow.org"));
}

// Operators make these of an object of their user's: a TrainJob's JobSet, a RayJob's RayCluster.
bool is_made_of_another(const OwnerObject& object) {
  return is_a(object.self, "JobSet", "jobset.x-k8s.io") ||
         is_a(object.self, "RayCluster", "ray.io");
}

}  // namespace

const OwnerObject* Owners::find(const std::string& uid) const { return find_value(objects_, uid); }

const OwnerObject* Owners::find_in(const std::string& name_space, const std::string& uid) const {
  const OwnerObject* const object = find(uid);
  return object != nullptr && object->name_space == name_space ? object : nullptr;
}

bool Owners::watches(const OwnerReference& type) const {
  return std::any_of(resources_.begin(), resources_.end(), [&](const std::string& resource) {
    return is_of_resource(type.kind, type.group(), resource);
  });
}

void Owners::put(const OwnerObject& object) {
  objects_.insert_or_assign(object.uid, object);
  if (object.self.kind != kLeaderWorkerSet) return;
  uid_by_name_[key_of_set(object.name_space, object.self.name)] = object.uid;
}

void Owners::erase(const std::string& uid) {
  std::erase_if(uid_by_name_, [&](const auto& each) { return each.second == uid; });
  objects_.erase(uid);
}

std::vector<std::string> Owners::keys_of(const std::string& uid) const {
  const OwnerObject* object = find(uid);
  if (object == nullptr || object->self.kind != kLeaderWorkerSet) return {uid};
  return {uid, key_of_set(object->name_space, object->self.name)};
}

std::string Owners::uid_of(const std::string& key) const {
  return value_or(uid_by_name_, key, key);
}

Owners::Chain Owners::chain_of(const PodObject& pod) const {
  Chain chain;
  if (pod.owner.is_none()) return chain;
  const std::string set = label_of(pod, kSetLabel);
  if (set.empty()) {
    climb(pod, chain);
  } else {
    find_leader_worker_set(pod, set, chain);
  }
  const OwnerObject* object = chain.object;
  while (object != nullptr && is_made_of_another(*object) && !object->controller.is_none() &&
         chain.above.size() < kDepthMax) {
    chain.keys.push_back(object->controller.uid);
    const OwnerObject* above = find_in(pod.name_space, object->controller.uid);
    if (above != nullptr) chain.above.push_back(above);
    if (above == nullptr && watches(object->controller)) {
      chain.unseen = object->controller.kind + " " + pod.name_space + "/" + object->controller.name;
    }
    object = above;
  }
  return chain;
}

// Each of its groups is a gang. A StatefulSet of the set's controls the leaders, and one of each
// leader's controls the workers, so that only labels lead to the set.
void Owners::find_leader_worker_set(const PodObject& pod, const std::string& name,
                                    Chain& chain) const {
  const std::string key = key_of_set(pod.name_space, name);
  chain.keys.push_back(key);
  const auto found = uid_by_name_.find(key);
  chain.object = found == uid_by_name_.end() ? nullptr : find(found->second);
  chain.owner = {std::string(kLeaderWorkerSets) + "/v1", kLeaderWorkerSet, name, {}};
  if (chain.object != nullptr) chain.owner = chain.object->self;
  chain.suffix = label_of(pod, kGroupLabel);
  if (chain.object == nullptr && watches(chain.owner)) chain.unseen = key;
}

void Owners::climb(const PodObject& pod, Chain& chain) const {
  chain.owner = pod.owner;
  chain.keys.push_back(chain.owner.uid);
  chain.object = find_in(pod.name_space, chain.owner.uid);
  while (chain.object != nullptr && is_part_of_another(*chain.object) &&
         chain.below.size() < kDepthMax) {
    chain.below.push_back(chain.object);
    chain.owner = chain.object->controller;
    chain.keys.push_back(chain.owner.uid);
    chain.object = find_in(pod.name_space, chain.owner.uid);
  }
  if (chain.object == nullptr && watches(chain.owner)) {
    chain.unseen = chain.owner.kind + " " + pod.name_space + "/" + chain.owner.name;
  }
}

}  // namespace berth::mirror
