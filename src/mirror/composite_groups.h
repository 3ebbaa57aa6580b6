#pragma once

#include <functional>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "berth/model/event.h"

namespace berth::mirror {

// Makes one job of the pod groups that a CompositePodGroup wants to start together (KUBEGROUP-8 to
// KUBEGROUP-11 of docs/design/kubernetes-groups.md). It stands between the watches and all who read
// groups and pods: they see the composite as a group, and the groups below it as its roles. After
// settle(), all depends only on the objects, not on the order of events. Session thread.
class CompositeGroups {
 public:
  using Give = std::function<void(const ClusterEvent&)>;

  // Gives the event, or what stands for it, unless it changes what a composite stands for.
  void take(const ClusterEvent& event, const Give& give);
  // Gives the groups and pods that are something else by what was taken. Looks once at each
  // namespace that has changed, so that a list costs no more than its objects.
  void settle(const Give& give);
  // Is the pod given as it is, and means nothing here?
  bool passes(const PodObject& object) const {
    return !object.is_in_kube_group && !pods_.contains(object.uid);
  }
  bool passes(const PodDeleted& deleted) const { return !pods_.contains(deleted.uid); }

 private:
  friend class CompositeForest;
  // The group that the pods of one below a composite are given, and their wish.
  struct Place {
    std::string group;               // that of the composite with which it starts; a name
    std::vector<NearRule> nearness;  // of their group, and of composites between the two
    bool operator==(const Place&) const = default;
  };
  using Places = std::map<std::string, Place>;  // by full name of the group

  void take_pod(const PodObject& object, const Give& give);
  void take_group(const PodGroupObject& object, const Give& give);
  void forget_pod(const std::string& uid);
  void renew(const std::string& name_space, const Give& give);
  PodObject given(const PodObject& object) const;

  std::map<std::string, CompositeGroupObject> composites_;  // by full name
  std::map<std::string, PodGroupObject> children_;          // groups that name a composite
  std::map<std::string, PodObject> pods_;                   // by uid: of Kubernetes' own groups
  std::map<std::string, std::set<std::string>> pods_of_;    // uids, by full name of their group
  std::map<std::string, PodGroupObject> given_;             // children and composites; by full name
  Places places_;
  std::set<std::string> awaited_;  // children for whose pods others wait
  std::set<std::string> changed_;  // namespaces, since settle()
};

}  // namespace berth::mirror
