#include "kube/codecs.h"

#include <algorithm>
#include <array>
#include <type_traits>
#include <variant>

#include "kube/group_api.h"

namespace berth::kube {

namespace {

// One codec for each kind and API group. The fields that we read are the same in all versions of a
// group.
using Codec = Result<ClusterEvent> (*)(const document::Value& value, std::string_view file,
                                       Complaint* complaint);

template <auto decode_one>
Result<ClusterEvent> decode_as_event(const document::Value& value, std::string_view file,
                                     Complaint* complaint) {
  auto object = [&] {
    if constexpr (std::is_invocable_v<decltype(decode_one), const document::Value&,
                                      std::string_view, Complaint*>) {
      return decode_one(value, file, complaint);
    } else {
      return decode_one(value, file);
    }
  }();
  if (!object) return object.error();
  return ClusterEvent(std::move(object).value());
}

struct CodecRow {
  std::string_view kind;
  std::string_view group;  // empty: core
  Codec codec;
};

constexpr std::array<CodecRow, 25> kCodecs{
    {{"Node", "", &decode_as_event<&decode_node>},
     {"Pod", "", &decode_as_event<&decode_pod>},
     {"Namespace", "", &decode_as_event<&decode_namespace>},
     {"PodGroup", "scheduling.volcano.sh", &decode_as_event<&decode_pod_group>},
     {"PodGroup", "scheduling.x-k8s.io", &decode_as_event<&decode_pod_group>},
     {"PodGroup", "scheduling.k8s.io", &decode_as_event<&decode_kube_pod_group>},
     {"CompositePodGroup", "scheduling.k8s.io", &decode_as_event<&decode_composite_group>},
     {"Queue", "scheduling.volcano.sh", &decode_as_event<&decode_queue>},
     {"PriorityClass", "scheduling.k8s.io", &decode_as_event<&decode_priority_class>},
     {"PodDisruptionBudget", "policy", &decode_as_event<&decode_budget>},
     {"PersistentVolumeClaim", "", &decode_as_event<&decode_claim>},
     {"PersistentVolume", "", &decode_as_event<&decode_volume>},
     {"StorageClass", "storage.k8s.io", &decode_as_event<&decode_storage_class>},
     {"CSINode", "storage.k8s.io", &decode_as_event<&decode_csi_node>},
     {"CSIDriver", "storage.k8s.io", &decode_as_event<&decode_csi_driver>},
     {"CSIStorageCapacity", "storage.k8s.io", &decode_as_event<&decode_capacity>},
     {"VolumeAttachment", "storage.k8s.io", &decode_as_event<&decode_attachment>},
     {"Service", "", &decode_as_event<&decode_service>},
     {"ReplicationController", "", &decode_as_event<&decode_replication_controller>},
     {"ReplicaSet", "apps", &decode_as_event<&decode_replica_set>},
     {"StatefulSet", "apps", &decode_as_event<&decode_stateful_set>},
     {"Topology", "kueue.x-k8s.io", &decode_as_event<&decode_kueue_topology>},
     {"Topology", "kai.scheduler", &decode_as_event<&decode_kai_topology>},
     {"DeviceClass", "resource.k8s.io", &decode_as_event<&decode_device_class>},
     {"HyperNode", "topology.volcano.sh", &decode_as_event<&decode_hyper_node>}}};

const CodecRow* find_row(const TypeName& type) {
  const auto found = std::find_if(kCodecs.begin(), kCodecs.end(), [&](const CodecRow& row) {
    return row.kind == type.kind && row.group == type.group();
  });
  return found == kCodecs.end() ? nullptr : &*found;
}

Codec codec_of(const TypeName& type) {
  const CodecRow* row = find_row(type);
  BERTH_CHECK(row != nullptr);
  return row->codec;
}

}  // namespace

std::string_view TypeName::group() const {
  const std::size_t slash = api_version.find('/');
  return std::string_view(api_version).substr(0, slash == std::string::npos ? 0 : slash);
}

std::string TypeName::to_string() const {
  return group().empty() ? kind : kind + "." + std::string(group());
}

bool is_known(const TypeName& type) { return find_row(type) != nullptr; }

Result<ClusterEvent> decode(const TypeName& type, const document::Value& value,
                            std::string_view file) {
  return codec_of(type)(value, file, nullptr);
}

Result<ClusterEvent> decode_live(const TypeName& type, const document::Value& value,
                                 std::string_view file, Complaint& complaint) {
  if (type.kind == "Queue") {
    return decode_as_event<&decode_queue_with_fault>(value, file, &complaint);
  }
  Result<ClusterEvent> event = codec_of(type)(value, file, &complaint);
  // The items of lists do not say their version.
  auto* const group = event ? std::get_if<PodGroupObject>(&*event) : nullptr;
  if (group != nullptr) group->api = group_api(type.api_version);
  return event;
}

}  // namespace berth::kube
