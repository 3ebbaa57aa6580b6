#pragma once

#include <string>
#include <variant>

#include "berth/model/objects.h"

// What can happen to a cluster. Adapters post these; the mirror applies them in order.

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
struct OwnerDeleted {
  std::string uid;
};

// A planned placement that will not happen (gang barrier aborted, bind refused, node vetoed): the
// reservation ends and the pod is planned anew. Ignored if the pod is no longer planned there.
struct PlacementDropped {
  std::string pod_uid;
  std::string node;
  std::string reason;      // for the log
  bool is_vetoed = false;  // kube-scheduler ruled the node out for this pod
};

// kube-scheduler ruled the planned node out and was sent to another within its call. Ignored if the
// pod is no longer planned on the first.
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
                 NamespaceObject, NamespaceDeleted, OwnerObject, OwnerDeleted, PlacementDropped,
                 PlacementMoved, EvictionRefused>;

}  // namespace berth
