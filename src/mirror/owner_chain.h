#pragma once

#include <map>
#include <string>
#include <vector>

#include "berth/model/objects.h"

namespace berth::mirror {

// The known objects that make pods, and the way from a pod to the one whose gang it may be one of
// (OWNED-1, OWNED-2 of docs/design/gangs-of-owners.md).
class Owners {
 public:
  // `resources`: those that are watched, as RESOURCE.VERSION.GROUP.
  explicit Owners(std::vector<std::string> resources) : resources_(std::move(resources)) {}

  struct Chain {
    OwnerReference owner;                 // of the gang; none: the pod has no controller
    const OwnerObject* object = nullptr;  // the same, if it is known
    std::string suffix;                   // of one of several gangs of that owner
    std::string unseen;                   // "Job ml/train": watched, and not known. Empty: none
    // Between the pod and that owner, and above it; the nearest first.
    std::vector<const OwnerObject*> below;
    std::vector<const OwnerObject*> above;
    std::vector<std::string> keys;  // of all that would change it, also if it is not there
    // The pod's direct owner, if it is known.
    const OwnerObject* direct() const { return below.empty() ? object : below.front(); }
  };
  Chain chain_of(const PodObject& pod) const;

  void put(const OwnerObject& object);
  void erase(const std::string& uid);
  // Its keys in chains.
  std::vector<std::string> keys_of(const std::string& uid) const;
  // Of a key, the uid of the object, as far as it is known.
  std::string uid_of(const std::string& key) const;

 private:
  const OwnerObject* find(const std::string& uid) const;
  // Users write any uid into ownerReferences; an owner is in the namespace of what it controls.
  const OwnerObject* find_in(const std::string& name_space, const std::string& uid) const;
  bool watches(const OwnerReference& type) const;
  void find_leader_worker_set(const PodObject& pod, const std::string& name, Chain& chain) const;
  void climb(const PodObject& pod, Chain& chain) const;

  std::vector<std::string> resources_;
  std::map<std::string, OwnerObject> objects_;      // by uid
  std::map<std::string, std::string> uid_by_name_;  // of LeaderWorkerSets, by key
};

}  // namespace berth::mirror
