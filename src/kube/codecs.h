#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "berth/base/result.h"
#include "berth/model/event.h"
#include "berth/model/objects.h"
#include "document/cursor.h"

// Decodes the Kubernetes API's objects to the model's (DESIGN D1, D4). Unknown fields are skipped.
// Wrong types, bad names and amounts out of range are errors with the field's path and place.

namespace berth::kube {

// The part of an object of the API server that cannot be read. None: all can.
using Complaint = std::optional<Error>;
inline document::Strictness strictness(const Complaint* complaint) {
  return complaint == nullptr ? document::Strictness::strict : document::Strictness::lenient;
}

// With `complaint`, the object is in the API server already and must not vanish (API-25): the
// Result is an Error only if its name cannot be read. Hints that cannot be read are left out, and
// amounts are bounded. Other faults go into the object: the pod or group waits, the node is closed.
Result<NodeObject> decode_node(const document::Value& value, std::string_view file,
                               Complaint* complaint = nullptr);
Result<PodObject> decode_pod(const document::Value& value, std::string_view file,
                             Complaint* complaint = nullptr);
// scheduling.volcano.sh/v1beta1, scheduling.x-k8s.io/v1alpha1, and scheduling.k8s.io/v1beta1 and
// v1alpha2.
Result<PodGroupObject> decode_pod_group(const document::Value& value, std::string_view file,
                                        Complaint* complaint = nullptr);
// One of scheduling.k8s.io, also without apiVersion: items of the API server's lists have none.
Result<PodGroupObject> decode_kube_pod_group(const document::Value& value, std::string_view file,
                                             Complaint* complaint = nullptr);
// scheduling.k8s.io/v1alpha3.
Result<CompositeGroupObject> decode_composite_group(const document::Value& value,
                                                    std::string_view file,
                                                    Complaint* complaint = nullptr);
Result<QueueObject> decode_queue(const document::Value& value, std::string_view file);
// The same, but a fault of the spec goes into QueueObject::fault: a queue that validation missed
// must not vanish. `complaint`: of an annotation that has no effect.
Result<QueueObject> decode_queue_with_fault(const document::Value& value, std::string_view file,
                                            Complaint* complaint = nullptr);
Result<PriorityClassObject> decode_priority_class(const document::Value& value,
                                                  std::string_view file);
Result<NamespaceObject> decode_namespace(const document::Value& value, std::string_view file);
// policy/v1.
Result<BudgetObject> decode_budget(const document::Value& value, std::string_view file,
                                   Complaint* complaint = nullptr);
// Of the claims, volumes and storage of docs/design/volumes.md, by their kinds.
Result<StorageObject> decode_claim(const document::Value& value, std::string_view file,
                                   Complaint* complaint = nullptr);
Result<StorageObject> decode_volume(const document::Value& value, std::string_view file,
                                    Complaint* complaint = nullptr);
Result<StorageObject> decode_storage_class(const document::Value& value, std::string_view file,
                                           Complaint* complaint = nullptr);
Result<StorageObject> decode_csi_node(const document::Value& value, std::string_view file,
                                      Complaint* complaint = nullptr);
Result<StorageObject> decode_csi_driver(const document::Value& value, std::string_view file,
                                        Complaint* complaint = nullptr);
Result<StorageObject> decode_capacity(const document::Value& value, std::string_view file,
                                      Complaint* complaint = nullptr);
Result<StorageObject> decode_attachment(const document::Value& value, std::string_view file,
                                        Complaint* complaint = nullptr);
// Of the objects that select pods. One whose selector cannot be read selects none.
Result<SelectingObject> decode_service(const document::Value& value, std::string_view file);
Result<SelectingObject> decode_replication_controller(const document::Value& value,
                                                      std::string_view file);
Result<SelectingObject> decode_replica_set(const document::Value& value, std::string_view file);
Result<SelectingObject> decode_stateful_set(const document::Value& value, std::string_view file);
// resource.k8s.io/v1.
Result<DeviceClassObject> decode_device_class(const document::Value& value, std::string_view file);
// Topology of kueue.x-k8s.io (v1beta1, v1beta2) and of kai.scheduler/v1alpha1, and HyperNode of
// topology.volcano.sh/v1alpha1.
Result<TopologyObject> decode_kueue_topology(const document::Value& value, std::string_view file,
                                             Complaint* complaint = nullptr);
Result<TopologyObject> decode_kai_topology(const document::Value& value, std::string_view file,
                                           Complaint* complaint = nullptr);
Result<TopologyObject> decode_hyper_node(const document::Value& value, std::string_view file,
                                         Complaint* complaint = nullptr);
// The type that an object states. A PodGroup or Queue of a foreign API group is another kind.
struct TypeName {
  std::string kind;
  std::string api_version;
  std::string_view group() const;  // empty: core
  std::string to_string() const;   // "Job" or, with a group, "Queue.example.com"
};

// An object of any kind that controls pods. `type`: of an item of a list, which may not state it.
// Of the kinds that make gangs it reads how many pods they want (owner_counts.h).
Result<OwnerObject> decode_owner(const document::Value& value, std::string_view file,
                                 const TypeName& type = {});
// TIME-7. Does its controller end all its pods at a deadline, if it has one?
bool may_have_deadline(const OwnerReference& type);

// True for the kinds above, in the API groups we read.
bool is_known(const TypeName& type);

// Decodes an object of a known type to an event "created or changed".
Result<ClusterEvent> decode(const TypeName& type, const document::Value& value,
                            std::string_view file);
// The same for objects from the API server: what has a fault is kept with it.
Result<ClusterEvent> decode_live(const TypeName& type, const document::Value& value,
                                 std::string_view file, Complaint& complaint);

}  // namespace berth::kube
