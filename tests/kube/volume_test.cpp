#include <gtest/gtest.h>

#include <string>
#include <variant>

#include "kube/codecs.h"
#include "kube/manifests.h"
#include "kube/yaml_value.h"

namespace berth::kube {
namespace {

template <class Object>
Object decoded(const std::string& yaml, Complaint* complaint = nullptr) {
  const document::Value value = value_of(yaml);
  const TypeName type{value.find("kind")->text, value.find("apiVersion")->text};
  Complaint ignored;
  const auto event = complaint == nullptr ? decode(type, value, "f.yaml")
                                          : decode_live(type, value, "f.yaml", *complaint);
  EXPECT_TRUE(event) << (event ? "" : event.error().to_string());
  if (!event) return {};
  return std::get<Object>(std::get<StorageObject>(*event).object);
}

constexpr const char* kClaim = R"(
apiVersion: v1
kind: PersistentVolumeClaim
metadata:
  name: data
  namespace: ml
  uid: c1
  deletionTimestamp: "2026-11-21T09:05:00Z"
  annotations:
    pv.kubernetes.io/bind-completed: "yes"
    volume.kubernetes.io/selected-node: n1
  ownerReferences: [{apiVersion: v1, kind: Pod, name: p, uid: p1, controller: true}]
spec:
  storageClassName: fast
  resources: {requests: {storage: 10Gi}}
  accessModes: [ReadWriteOnce, ReadWriteOncePod]
  volumeMode: Block
  volumeAttributesClassName: gold
  selector: {matchLabels: {tier: ssd}}
  volumeName: v1
status: {phase: Lost}
)";

TEST(Volume, AClaimHasWhatADecisionRestsOn) {
  const auto claim = decoded<ClaimObject>(kClaim);
  EXPECT_EQ(claim.full_name(), "ml/data");
  EXPECT_EQ(claim.uid, "c1");
  EXPECT_EQ(claim.owner_uid, "p1");
  EXPECT_EQ(claim.class_name, "fast");
  EXPECT_EQ(claim.size, std::int64_t{10} << 30);
  EXPECT_EQ(claim.modes, kReadWriteOnce | kReadWriteOncePod);
  EXPECT_TRUE(claim.is_block && claim.is_lost && claim.is_ending && claim.is_bound());
  EXPECT_EQ(claim.attributes_class, "gold");
  EXPECT_EQ(claim.selector, (std::vector<Expression>{{"tier", Operator::in, {"ssd"}}}));
  EXPECT_EQ(claim.selected_node, "n1");
  EXPECT_EQ(claim.volume, "v1");
}

TEST(Volume, AClaimWithoutTheAnnotationIsNotBoundAndTheOlderClassCounts) {
  const auto claim = decoded<ClaimObject>(R"(
apiVersion: v1
kind: PersistentVolumeClaim
metadata: {name: a, annotations: {volume.beta.kubernetes.io/storage-class: ""}}
spec: {storageClassName: fast, volumeName: v1}
)");
  EXPECT_FALSE(claim.is_bound());
  EXPECT_EQ(claim.class_name, "");
  EXPECT_EQ(claim.size, std::nullopt);
  EXPECT_EQ(claim.selector, std::nullopt);
  EXPECT_EQ(claim.selected_node, std::nullopt);
}

TEST(Volume, API25AClaimThatCannotBeReadIsKeptWithItsFault) {
  const std::string bad =
      "apiVersion: v1\nkind: PersistentVolumeClaim\nmetadata: {name: a}\n"
      "spec: {accessModes: [ReadOften]}\n";
  EXPECT_FALSE(decode_claim(value_of(bad), "f.yaml"));
  Complaint complaint;
  const auto claim = decoded<ClaimObject>(bad, &complaint);
  EXPECT_TRUE(complaint);
  EXPECT_NE(claim.fault.find("ReadOften"), std::string::npos) << claim.fault;
}

TEST(Volume, AVolumeHasItsReachItsZonesAndItsClaim) {
  const auto volume = decoded<VolumeObject>(R"(
apiVersion: v1
kind: PersistentVolume
metadata:
  name: v1
  labels:
    topology.kubernetes.io/zone: b__a
    failure-domain.beta.kubernetes.io/region: "x__"
    tier: ssd
spec:
  storageClassName: fast
  capacity: {storage: "1.5"}
  accessModes: [ReadOnlyMany, ReadWriteMany]
  volumeAttributesClassName: gold
  claimRef: {namespace: ml, name: data, uid: c1}
  csi: {driver: disk.example.com, volumeHandle: h1}
  nodeAffinity:
    required:
      nodeSelectorTerms:
      - matchExpressions: [{key: zone, operator: In, values: [a]}]
      - matchFields: [{key: metadata.name, operator: In, values: [n1]}]
status: {phase: Available}
)");
  EXPECT_EQ(volume.size, 2) << "rounded up";
  EXPECT_EQ(volume.modes, kReadOnlyMany | kReadWriteMany);
  EXPECT_EQ(volume.zones, (std::vector<ZoneLabel>{{"topology.kubernetes.io/zone", {"a", "b"}}}))
      << "a label with an empty value does not count";
  EXPECT_EQ(volume.labels.size(), 3U);
  EXPECT_EQ(volume.claim, (ClaimReference{"ml", "data", "c1"}));
  ASSERT_TRUE(volume.affinity);
  EXPECT_EQ(volume.affinity->size(), 2U);
  EXPECT_EQ(volume.affinity->at(1).fields.at(0).key, "metadata.name");
  EXPECT_EQ(volume.driver, "disk.example.com");
  EXPECT_EQ(volume.handle, "h1");
  EXPECT_TRUE(volume.is_available);
  EXPECT_FALSE(volume.is_migrated || volume.is_block || volume.is_ending);
}

TEST(Volume, InTreeDisksOfACsiDriverAreNoted) {
  const std::string head = "apiVersion: v1\nkind: PersistentVolume\nmetadata: {name: v}\nspec: ";
  EXPECT_TRUE(decoded<VolumeObject>(head + "{awsElasticBlockStore: {volumeID: x}}").is_migrated);
  EXPECT_TRUE(decoded<VolumeObject>(head + "{cinder: {volumeID: x}}").is_migrated);
  EXPECT_FALSE(decoded<VolumeObject>(head + "{vsphereVolume: {volumePath: x}}").is_migrated);
  EXPECT_FALSE(decoded<VolumeObject>(head + "{nfs: {server: s, path: /}}").is_migrated);
}

TEST(Volume, AClassHasItsModeAndTopologies) {
  const auto its = decoded<StorageClassObject>(R"(
apiVersion: storage.k8s.io/v1
kind: StorageClass
metadata: {name: fast}
provisioner: disk.example.com
volumeBindingMode: WaitForFirstConsumer
allowedTopologies:
- matchLabelExpressions: [{key: zone, values: [a, b]}]
- {}
)");
  EXPECT_EQ(its.provisioner, "disk.example.com");
  EXPECT_EQ(its.mode, BindingMode::wait_for_first_consumer);
  EXPECT_EQ(its.topologies,
            (std::vector<std::vector<Expression>>{{{"zone", Operator::in, {"a", "b"}}}, {}}));
  const std::string plain =
      "apiVersion: storage.k8s.io/v1\nkind: StorageClass\nmetadata: {name: a}";
  EXPECT_EQ(decoded<StorageClassObject>(plain).mode, BindingMode::unset);
  EXPECT_EQ(decoded<StorageClassObject>(plain + "\nvolumeBindingMode: Immediate").mode,
            BindingMode::immediate);
}

TEST(Volume, LimitsCapacitiesAndAttachments) {
  const auto node = decoded<CsiNodeObject>(R"(
apiVersion: storage.k8s.io/v1
kind: CSINode
metadata: {name: n1}
spec: {drivers: [{name: b, allocatable: {count: 3}}, {name: a, allocatable: {count: 0}}, {name: c}]}
)");
  EXPECT_EQ(node.limits, (std::vector<std::pair<std::string, std::int64_t>>{{"a", 0}, {"b", 3}}));
  const std::string driver =
      "apiVersion: storage.k8s.io/v1\nkind: CSIDriver\nmetadata: {name: d}\n";
  EXPECT_FALSE(decoded<CsiDriverObject>(driver).tracks_capacity);
  EXPECT_TRUE(decoded<CsiDriverObject>(driver + "spec: {storageCapacity: true}").tracks_capacity);
  const std::string capacity =
      "apiVersion: storage.k8s.io/v1\nkind: CSIStorageCapacity\n"
      "metadata: {name: c, namespace: kube-system}\nstorageClassName: fast\n";
  const auto none = decoded<StorageCapacityObject>(capacity);
  EXPECT_EQ(none.largest, std::nullopt);
  EXPECT_EQ(none.topology, std::nullopt);
  const auto some = decoded<StorageCapacityObject>(
      capacity + "capacity: 100\nmaximumVolumeSize: 50\nnodeTopology: {matchLabels: {zone: a}}\n");
  EXPECT_EQ(some.full_name(), "kube-system/c");
  EXPECT_EQ(some.largest, 50);
  EXPECT_EQ(some.topology, (std::vector<Expression>{{"zone", Operator::in, {"a"}}}));
  const auto attachment = decoded<AttachmentObject>(R"(
apiVersion: storage.k8s.io/v1
kind: VolumeAttachment
metadata: {name: csi-1}
spec: {attacher: d, nodeName: n1, source: {persistentVolumeName: v1}}
)");
  EXPECT_EQ(attachment, (AttachmentObject{"csi-1", "n1", "d", "v1"}));
}

TEST(Volume, APodNamesItsClaimsAndDisks) {
  const auto pod = decode_pod(value_of(R"(
apiVersion: v1
kind: Pod
metadata: {name: w-0}
spec:
  volumes:
  - {name: data, persistentVolumeClaim: {claimName: shared}}
  - {name: scratch, ephemeral: {volumeClaimTemplate: {spec: {}}}}
  - {name: g, gcePersistentDisk: {pdName: d, readOnly: true}}
  - {name: i, iscsi: {iqn: q}}
  - {name: r, rbd: {monitors: [a, b], pool: p, image: m}}
  - {name: tmp, emptyDir: {}}
)"),
                              "f.yaml");
  ASSERT_TRUE(pod) << pod.error().to_string();
  EXPECT_EQ(pod->volumes.claims,
            (std::vector<ClaimWish>{{"shared", false}, {"w-0-scratch", true}}));
  EXPECT_EQ(pod->volumes.disks, (std::vector<Disk>{{DiskKind::gce, "d", "", {}, true},
                                                   {DiskKind::iscsi, "q", "", {}, false},
                                                   {DiskKind::rbd, "m", "p", {"a", "b"}, false}}));
  EXPECT_TRUE(pod->volumes.has_migrated) << "the GCE disk";
}

TEST(Volume, FilesWithClaimsSayThatVolumesAreKnown) {
  const auto with = parse_manifests(kClaim, "c.yaml");
  ASSERT_TRUE(with) << with.error().to_string();
  ASSERT_EQ(with->events.size(), 2U);
  EXPECT_TRUE(std::holds_alternative<StorageKnown>(with->events.front()));
  const auto without = parse_manifests(
      "apiVersion: storage.k8s.io/v1\nkind: StorageClass\nmetadata: {name: a}\n", "s.yaml");
  ASSERT_TRUE(without);
  EXPECT_EQ(without->events.size(), 1U);
}

}  // namespace
}  // namespace berth::kube
