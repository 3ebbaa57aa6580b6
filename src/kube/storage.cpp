#include <algorithm>
#include <array>

#include "berth/model/quantity.h"
#include "kube/codecs.h"
#include "kube/fields.h"
#include "kube/label_selector.h"
#include "kube/storage_fields.h"

// The objects that say where volumes can be made and attached. What cannot be read of one that the
// API server has is left out.

namespace berth::kube {

namespace {

BindingMode read_mode(const document::Cursor& at) {
  if (!at.is_present()) return BindingMode::unset;
  return at.text() == "WaitForFirstConsumer" ? BindingMode::wait_for_first_consumer
                                             : BindingMode::immediate;
}

std::vector<Expression> read_topology(const document::Cursor& term) {
  std::vector<Expression> all;
  for (const document::Cursor& item : term["matchLabelExpressions"].items()) {
    all.push_back({item["key"].text(), Operator::in, read_texts(item["values"])});
  }
  return all;
}

}  // namespace

// As csi-translation-lib and Kubernetes 1.36 have it: Azure Files and vSphere are not counted.
bool has_migrated_disk(const document::Cursor& volume) {
  constexpr std::array<const char*, 5> kMigrated{"awsElasticBlockStore", "gcePersistentDisk",
                                                 "azureDisk", "cinder", "portworxVolume"};
  return std::any_of(kMigrated.begin(), kMigrated.end(),
                     [&](const char* kind) { return volume[kind].is_present(); });
}

std::optional<std::int64_t> read_bytes(const document::Cursor& at) {
  if (!at.is_present()) return std::nullopt;
  const Result<std::int64_t> bytes = parse_quantity_up_to(at.scalar(), Scale::one, kLimitMax);
  if (!bytes) at.complain(bytes.error().message);
  return bytes ? std::optional(*bytes) : std::nullopt;
}

Result<StorageObject> decode_storage_class(const document::Value& value, std::string_view file,
                                           Complaint* complaint) {
  document::Reading reading(value, file, strictness(complaint));
  const document::Cursor root = reading.root();
  StorageClassObject storage_class;
  storage_class.name = read_metadata(root, "StorageClass", Scope::cluster).name;
  if (reading.failed()) return reading.error();
  storage_class.provisioner = root["provisioner"].text();
  storage_class.mode = read_mode(root["volumeBindingMode"]);
  for (const document::Cursor& term : root["allowedTopologies"].items()) {
    storage_class.topologies.push_back(read_topology(term));
  }
  if (is_refused(reading, complaint)) return reading.error();
  return StorageObject{std::move(storage_class)};
}

Result<StorageObject> decode_csi_node(const document::Value& value, std::string_view file,
                                      Complaint* complaint) {
  document::Reading reading(value, file, strictness(complaint));
  const document::Cursor root = reading.root();
  CsiNodeObject node;
  node.name = read_metadata(root, "CSINode", Scope::cluster).name;
  if (reading.failed()) return reading.error();
  for (const document::Cursor& driver : root["spec"]["drivers"].items()) {
    const document::Cursor count = driver["allocatable"]["count"];
    if (!count.is_present()) continue;
    node.limits.emplace_back(driver["name"].text(), count.integer(0, 0, kLimitMax));
  }
  std::sort(node.limits.begin(), node.limits.end());
  if (is_refused(reading, complaint)) return reading.error();
  return StorageObject{std::move(node)};
}

Result<StorageObject> decode_csi_driver(const document::Value& value, std::string_view file,
                                        Complaint* complaint) {
  document::Reading reading(value, file, strictness(complaint));
  const document::Cursor root = reading.root();
  CsiDriverObject driver;
  driver.name = read_metadata(root, "CSIDriver", Scope::cluster).name;
  if (reading.failed()) return reading.error();
  driver.tracks_capacity = root["spec"]["storageCapacity"].boolean(false);
  if (is_refused(reading, complaint)) return reading.error();
  return StorageObject{std::move(driver)};
}

Result<StorageObject> decode_capacity(const document::Value& value, std::string_view file,
                                      Complaint* complaint) {
  document::Reading reading(value, file, strictness(complaint));
  const document::Cursor root = reading.root();
  Metadata metadata = read_metadata(root, "CSIStorageCapacity", Scope::namespaced);
  if (reading.failed()) return reading.error();
  StorageCapacityObject capacity;
  capacity.name_space = std::move(metadata.name_space);
  capacity.name = std::move(metadata.name);
  capacity.class_name = root["storageClassName"].text();
  const document::Cursor topology = root["nodeTopology"];
  if (topology.is_present()) capacity.topology = read_label_selector(topology);
  const document::Cursor largest = root["maximumVolumeSize"];
  capacity.largest = read_bytes(largest.is_present() ? largest : root["capacity"]);
  if (is_refused(reading, complaint)) return reading.error();
  if (reading.failed()) capacity.topology.reset();  // API-25: no node reaches it
  return StorageObject{std::move(capacity)};
}

Result<StorageObject> decode_attachment(const document::Value& value, std::string_view file,
                                        Complaint* complaint) {
  document::Reading reading(value, file, strictness(complaint));
  const document::Cursor root = reading.root();
  AttachmentObject attachment;
  attachment.name = read_metadata(root, "VolumeAttachment", Scope::cluster).name;
  if (reading.failed()) return reading.error();
  attachment.node = root["spec"]["nodeName"].text();
  attachment.attacher = root["spec"]["attacher"].text();
  attachment.volume = root["spec"]["source"]["persistentVolumeName"].text();
  if (is_refused(reading, complaint)) return reading.error();
  return StorageObject{std::move(attachment)};
}

}  // namespace berth::kube
