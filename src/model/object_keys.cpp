#include "model/object_keys.h"

#include <variant>

namespace berth {
namespace {

template <class KindOfObject>
std::string key(KindOfObject kind, const std::string& full_name) {
  return std::string(to_string(kind)) + " " + full_name;
}

struct KeyOfDeleted {
  std::string operator()(const NodeDeleted& gone) const { return gone.name; }
  std::string operator()(const PodDeleted& gone) const { return gone.uid; }
  std::string operator()(const PodGroupDeleted& gone) const { return gone.full_name; }
  std::string operator()(const QueueDeleted& gone) const { return gone.name; }
  std::string operator()(const PriorityClassDeleted& gone) const { return gone.name; }
  std::string operator()(const NamespaceDeleted& gone) const { return gone.name; }
  std::string operator()(const OwnerDeleted& gone) const { return gone.uid; }
  std::string operator()(const BudgetDeleted& gone) const { return gone.full_name; }
  std::string operator()(const StorageDeleted& gone) const {
    return key(gone.kind, gone.full_name);
  }
  std::string operator()(const TopologyDeleted& gone) const { return key(gone.kind, gone.name); }
  std::string operator()(const DeviceClassDeleted& gone) const { return gone.name; }
  std::string operator()(const CompositeGroupDeleted& gone) const { return gone.full_name; }
  std::string operator()(const SelectingDeleted& gone) const {
    return key(gone.kind, gone.full_name);
  }
  template <class Other>
  std::string operator()(const Other&) const {
    return {};
  }
};

struct Deletion {
  ClusterEvent operator()(const NodeObject& node) const { return NodeDeleted{node.name}; }
  ClusterEvent operator()(const PodObject& pod) const { return PodDeleted{pod.uid}; }
  ClusterEvent operator()(const PodGroupObject& group) const {
    return PodGroupDeleted{group.full_name()};
  }
  ClusterEvent operator()(const QueueObject& queue) const { return QueueDeleted{queue.name}; }
  ClusterEvent operator()(const PriorityClassObject& its) const {
    return PriorityClassDeleted{its.name};
  }
  ClusterEvent operator()(const NamespaceObject& its) const { return NamespaceDeleted{its.name}; }
  ClusterEvent operator()(const OwnerObject& owner) const { return OwnerDeleted{owner.uid}; }
  ClusterEvent operator()(const BudgetObject& budget) const {
    return BudgetDeleted{budget.full_name()};
  }
  ClusterEvent operator()(const StorageObject& its) const {
    return StorageDeleted{its.kind(), its.full_name()};
  }
  ClusterEvent operator()(const TopologyObject& its) const {
    return TopologyDeleted{its.kind(), its.name()};
  }
  ClusterEvent operator()(const DeviceClassObject& its) const {
    return DeviceClassDeleted{its.name};
  }
  ClusterEvent operator()(const CompositeGroupObject& its) const {
    return CompositeGroupDeleted{its.group.full_name()};
  }
  ClusterEvent operator()(const SelectingObject& its) const {
    return SelectingDeleted{its.kind, its.full_name()};
  }
  template <class Other>
  ClusterEvent operator()(const Other& other) const {
    return other;  // never deleted
  }
};

}  // namespace

std::string key_of(const ClusterEvent& object) {
  if (std::holds_alternative<StorageKnown>(object)) return "known";
  const ClusterEvent deletion = deletion_of(object);
  return deletion.index() == object.index() ? "" : key_of_deleted(deletion);
}

ClusterEvent deletion_of(const ClusterEvent& object) { return std::visit(Deletion{}, object); }

std::string key_of_deleted(const ClusterEvent& deletion) {
  return std::visit(KeyOfDeleted{}, deletion);
}

}  // namespace berth
