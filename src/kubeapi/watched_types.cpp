#include "kubeapi/watched_types.h"

#include "kube/group_api.h"
#include "kubeapi/request.h"

namespace berth::kubeapi {

namespace {

constexpr const char* kVolcanoVersion = "scheduling.volcano.sh/v1beta1";

// One that is kept whole, but for unused metadata.
template <class Deleted>
WatchedType whole(std::string_view name, const char* kind, const char* api_version) {
  return {name, {kind, api_version}, &keys_of_others(), [](const std::string& id) {
            return ClusterEvent(Deleted{id});
          }};
}

template <class Deleted>
WatchedType in_protobuf(std::string_view name, const char* kind) {
  WatchedType type = whole<Deleted>(name, kind, "v1");
  type.keeps = kInProtobuf;
  return type;
}

WatchedType selecting(std::string_view name, const char* api_version, SelectingKind kind) {
  return {name,
          {std::string(to_string(kind)), api_version},
          &keys_of_selecting(),
          [kind](const std::string& id) {
            return ClusterEvent(SelectingDeleted{kind, id});
          }};
}

WatchedType storage(std::string_view name, const char* api_version, StorageKind kind,
                    const KeptKeys& keeps) {
  const auto deletion = [kind](const std::string& id) {
    return ClusterEvent(StorageDeleted{kind, id});
  };
  return {name, {to_string(kind), api_version}, &keeps, deletion, kind};
}

WatchedType topology(std::string_view name, const char* type, const char* api_version,
                     TopologyKind kind) {
  return {name, {type, api_version}, &keys_of_specs(), [kind](const std::string& id) {
            return ClusterEvent(TopologyDeleted{kind, id});
          }};
}

}  // namespace

std::string WatchedType::path() const {
  return resource_path(type.api_version, name.substr(0, name.find('.')));
}

// Nodes and classes come before the pods that refer to them, though the mirror needs no order.
std::vector<WatchedType> watched_types() {
  return {
      in_protobuf<NodeDeleted>("nodes", "Node"),
      whole<PriorityClassDeleted>("priorityclasses", "PriorityClass", "scheduling.k8s.io/v1"),
      whole<NamespaceDeleted>("namespaces", "Namespace", "v1"),
      whole<QueueDeleted>("queues.scheduling.volcano.sh", "Queue", kVolcanoVersion),
      whole<PodGroupDeleted>("podgroups.scheduling.volcano.sh", "PodGroup", kVolcanoVersion),
      whole<PodGroupDeleted>(kSigGroups, "PodGroup", "scheduling.x-k8s.io/v1alpha1"),
      in_protobuf<PodDeleted>("pods", "Pod"),
  };
}

WatchedType budgets() { return whole<BudgetDeleted>(kBudgets, "PodDisruptionBudget", "policy/v1"); }

std::vector<WatchedType> storage_types() {
  constexpr const char* kVersion = "storage.k8s.io/v1";
  return {
      storage("persistentvolumeclaims", "v1", StorageKind::claim, keys_of_claims()),
      storage("persistentvolumes", "v1", StorageKind::volume, keys_of_volumes()),
      storage("storageclasses", kVersion, StorageKind::storage_class, keys_of_storage()),
      storage("csinodes", kVersion, StorageKind::csi_node, keys_of_storage()),
      storage("csidrivers", kVersion, StorageKind::csi_driver, keys_of_storage()),
      storage("csistoragecapacities", kVersion, StorageKind::capacity, keys_of_storage()),
      storage("volumeattachments", kVersion, StorageKind::attachment, keys_of_storage()),
  };
}

std::vector<WatchedType> selecting_types() {
  return {
      selecting("services", "v1", SelectingKind::service),
      selecting("replicationcontrollers", "v1", SelectingKind::replication_controller),
      selecting("replicasets", "apps/v1", SelectingKind::replica_set),
      selecting("statefulsets", "apps/v1", SelectingKind::stateful_set),
  };
}

std::vector<WatchedType> types_if_served() {
  WatchedType classes = whole<DeviceClassDeleted>("deviceclasses.v1.resource.k8s.io", "DeviceClass",
                                                  "resource.k8s.io/v1");
  classes.keeps = &keys_of_specs();
  return {
      whole<PodGroupDeleted>("podgroups.v1beta1.scheduling.k8s.io", "PodGroup",
                             kube::kGroupsOfKubernetes),
      whole<PodGroupDeleted>("podgroups.v1alpha2.scheduling.k8s.io", "PodGroup",
                             kube::kGroupsOfKubernetes136),
      whole<CompositeGroupDeleted>("compositepodgroups.v1alpha3.scheduling.k8s.io",
                                   "CompositePodGroup", kube::kCompositeGroups),
      classes,
      topology("topologies.v1beta2.kueue.x-k8s.io", "Topology", "kueue.x-k8s.io/v1beta2",
               TopologyKind::kueue),
      topology("topologies.v1beta1.kueue.x-k8s.io", "Topology", "kueue.x-k8s.io/v1beta1",
               TopologyKind::kueue),
      topology("topologies.v1alpha1.kai.scheduler", "Topology", "kai.scheduler/v1alpha1",
               TopologyKind::kai),
      topology("hypernodes.v1alpha1.topology.volcano.sh", "HyperNode",
               "topology.volcano.sh/v1alpha1", TopologyKind::volcano),
  };
}

}  // namespace berth::kubeapi
