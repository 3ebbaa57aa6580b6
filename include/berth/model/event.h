#pragma once

#include <string>
#include <variant>

#include "berth/model/budget.h"
#include "berth/model/device_class.h"
#include "berth/model/objects.h"
#include "berth/model/permissions.h"
#include "berth/model/selecting.h"
#include "berth/model/topology_objects.h"
#include "berth/model/volumes.h"

// The events of a cluster. Adapters post them; the mirror applies them in order.

namespace berth {

struct NodeDeleted {
  std::string name;
};
struct PodDeleted {
  std::string uid;
};
struct PodGroupDeleted {
  std::string full_name;  // namespace/name
};
struct QueueDeleted {
  std::string name;
};
struct PriorityClassDeleted {
  std::string name;
};
struct NamespaceDeleted {
  std::string name;
};
struct BudgetDeleted {
  std::string full_name;  // namespace/name
};
struct OwnerDeleted {
  std::string uid;
};

// A planned placement that will not happen: the gang barrier aborted, the bind was refused, or the
// node was vetoed. The pod loses its place and is planned again. Ignored if the pod is no longer
// planned there.
struct PlacementDropped {
  std::string pod_uid;
  std::string node;
  std::string reason;           // for the log
  bool is_vetoed = false;       // kube-scheduler ruled the node out for this pod
  bool is_late = false;         // its gang was not bound in time: the attempt of its job has failed
  bool is_last_resort = false;  // it goes even if a Binding of it is under way
};

// kube-scheduler ruled the planned node out, and its call sent the pod to another one. Ignored if
// the pod is no longer planned on the first.
struct PlacementMoved {
  std::string pod_uid;
  std::string from;
  std::string to;
};

// A pod that was asked to leave stays: the API server refused it, or was not reached.
struct EvictionRefused {
  std::string pod_uid;
  std::string reason;  // for the log
};

// An object stands for "created or changed to this".
using ClusterEvent =
    std::variant<NodeObject, NodeDeleted, PodObject, PodDeleted, PodGroupObject, PodGroupDeleted,
                 QueueObject, QueueDeleted, PriorityClassObject, PriorityClassDeleted,
                 NamespaceObject, NamespaceDeleted, OwnerObject, OwnerDeleted, BudgetObject,
                 BudgetDeleted, PlacementDropped, PlacementMoved, EvictionRefused, RightAnswer,
                 NamingPolicy, StorageObject, StorageDeleted, StorageKnown, SelectingObject,
                 SelectingDeleted, TopologyObject, TopologyDeleted, DeviceClassObject,
                 DeviceClassDeleted, CompositeGroupObject, CompositeGroupDeleted>;

}  // namespace berth
