#include "kubeapi/watched_types.h"

#include "kube/group_api.h"

namespace berth::kubeapi {

namespace {

template <class Deleted>
std::function<ClusterEvent(const std::string& id)> deletion() {
  return [](const std::string& id) { return ClusterEvent(Deleted{id}); };
}

}  // namespace

// Nodes and classes come before the pods that refer to them, though the mirror needs no order.
std::vector<WatchedType> watched_types() {
  return {
      {"nodes", "/api/v1/nodes", {"Node", "v1"}, kInProtobuf, deletion<NodeDeleted>()},
      {"priorityclasses",
       "/apis/scheduling.k8s.io/v1/priorityclasses",
       {"PriorityClass", "scheduling.k8s.io/v1"},
       &keys_of_others(),
       deletion<PriorityClassDeleted>()},
      {"namespaces",
       "/api/v1/namespaces",
       {"Namespace", "v1"},
       &keys_of_others(),
       deletion<NamespaceDeleted>()},
      {"queues.scheduling.volcano.sh",
       "/apis/scheduling.volcano.sh/v1beta1/queues",
       {"Queue", kVolcanoVersion},
       &keys_of_others(),
       deletion<QueueDeleted>()},
      {"podgroups.scheduling.volcano.sh",
       "/apis/scheduling.volcano.sh/v1beta1/podgroups",
       {"PodGroup", kVolcanoVersion},
       &keys_of_others(),
       deletion<PodGroupDeleted>()},
      {kSigGroups,
       "/apis/scheduling.x-k8s.io/v1alpha1/podgroups",
       {"PodGroup", "scheduling.x-k8s.io/v1alpha1"},
       &keys_of_others(),
       deletion<PodGroupDeleted>()},
      {"pods", "/api/v1/pods", {"Pod", "v1"}, kInProtobuf, deletion<PodDeleted>()},
  };
}

WatchedType budgets() {
  return {kBudgets,
          "/apis/policy/v1/poddisruptionbudgets",
          {"PodDisruptionBudget", "policy/v1"},
          &keys_of_others(),
          deletion<BudgetDeleted>()};
}

WatchedType storage(StorageKind kind) {
  const StorageResource& resource = storage_resources()[static_cast<std::size_t>(kind)];
  return {resource.name,
          resource.path,
          {to_string(kind), resource.api_version},
          resource.keeps,
          [kind](const std::string& id) {
            return ClusterEvent(StorageDeleted{kind, id});
          },
          kind};
}

std::vector<WatchedType> selecting_types() {
  const auto gone = [](SelectingKind kind) {
    return [kind](const std::string& id) { return ClusterEvent(SelectingDeleted{kind, id}); };
  };
  const auto* const keeps = &keys_of_selecting();
  return {
      {"services", "/api/v1/services", {"Service", "v1"}, keeps, gone(SelectingKind::service)},
      {"replicationcontrollers",
       "/api/v1/replicationcontrollers",
       {"ReplicationController", "v1"},
       keeps,
       gone(SelectingKind::replication_controller)},
      {"replicasets",
       "/apis/apps/v1/replicasets",
       {"ReplicaSet", "apps/v1"},
       keeps,
       gone(SelectingKind::replica_set)},
      {"statefulsets",
       "/apis/apps/v1/statefulsets",
       {"StatefulSet", "apps/v1"},
       keeps,
       gone(SelectingKind::stateful_set)},
  };
}

std::vector<WatchedType> types_if_served() {
  const auto gone = [](TopologyKind kind) {
    return [kind](const std::string& name) { return ClusterEvent(TopologyDeleted{kind, name}); };
  };
  const auto* const keeps = &keys_of_specs();
  return {
      {"podgroups.v1beta1.scheduling.k8s.io",
       "/apis/scheduling.k8s.io/v1beta1/podgroups",
       {"PodGroup", kube::kGroupsOfKubernetes},
       &keys_of_others(),
       deletion<PodGroupDeleted>()},
      {"podgroups.v1alpha2.scheduling.k8s.io",
       "/apis/scheduling.k8s.io/v1alpha2/podgroups",
       {"PodGroup", kube::kGroupsOfKubernetes136},
       &keys_of_others(),
       deletion<PodGroupDeleted>()},
      {"compositepodgroups.v1alpha3.scheduling.k8s.io",
       "/apis/scheduling.k8s.io/v1alpha3/compositepodgroups",
       {"CompositePodGroup", kube::kCompositeGroups},
       &keys_of_others(),
       deletion<CompositeGroupDeleted>()},
      {"deviceclasses.v1.resource.k8s.io",
       "/apis/resource.k8s.io/v1/deviceclasses",
       {"DeviceClass", "resource.k8s.io/v1"},
       keeps,
       deletion<DeviceClassDeleted>()},
      {"topologies.v1beta2.kueue.x-k8s.io",
       "/apis/kueue.x-k8s.io/v1beta2/topologies",
       {"Topology", "kueue.x-k8s.io/v1beta2"},
       keeps,
       gone(TopologyKind::kueue)},
      {"topologies.v1beta1.kueue.x-k8s.io",
       "/apis/kueue.x-k8s.io/v1beta1/topologies",
       {"Topology", "kueue.x-k8s.io/v1beta1"},
       keeps,
       gone(TopologyKind::kueue)},
      {"topologies.v1alpha1.kai.scheduler",
       "/apis/kai.scheduler/v1alpha1/topologies",
       {"Topology", "kai.scheduler/v1alpha1"},
       keeps,
       gone(TopologyKind::kai)},
      {"hypernodes.v1alpha1.topology.volcano.sh",
       "/apis/topology.volcano.sh/v1alpha1/hypernodes",
       {"HyperNode", "topology.volcano.sh/v1alpha1"},
       keeps,
       gone(TopologyKind::volcano)},
  };
}

}  // namespace berth::kubeapi
