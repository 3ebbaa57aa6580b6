#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "berth/model/labels.h"
#include "berth/model/volume_needs.h"

// Claims, volumes, and the objects that say where volumes can be had. Plain values; codecs make
// them, with what docs/design/volumes.md needs. Sizes are bytes, rounded up.

namespace berth {

// PersistentVolumeClaim.
struct ClaimObject {
  std::string name_space;
  std::string name;
  std::string uid;
  std::string class_name;  // empty: none
  std::optional<std::int64_t> size;
  std::uint8_t modes = 0;
  bool is_block = false;
  std::string attributes_class;
  std::optional<std::vector<Expression>> selector;
  std::string volume;                        // spec.volumeName; empty: none
  bool is_bind_completed = false;            // annotation pv.kubernetes.io/bind-completed
  std::optional<std::string> selected_node;  // annotation volume.kubernetes.io/selected-node
  std::string owner_uid;                     // of its controller; empty: none
  bool is_lost = false;
  bool is_ending = false;  // has a deletion timestamp
  std::string fault;       // in parts that could not be read; empty: none

  std::string full_name() const { return name_space + "/" + name; }
  bool is_bound() const { return !volume.empty() && is_bind_completed; }
  bool operator==(const ClaimObject&) const = default;
};

struct ClaimReference {
  std::string name_space;
  std::string name;
  std::string uid;  // empty: any claim of the name
  bool names(const ClaimObject& claim) const {
    return claim.name == name && claim.name_space == name_space &&
           (uid.empty() || uid == claim.uid);
  }
  bool operator==(const ClaimReference&) const = default;
};

// PersistentVolume.
struct VolumeObject {
  std::string name;
  std::string class_name;
  std::int64_t size = 0;
  std::uint8_t modes = 0;
  bool is_block = false;
  std::string attributes_class;
  std::optional<std::vector<SelectorTerm>> affinity;  // required; none: every node
  Labels labels;
  std::vector<ZoneLabel> zones;  // of its labels
  std::optional<ClaimReference> claim;
  bool is_available = false;
  bool is_ending = false;
  std::string driver;  // of CSI; empty: of another kind
  std::string handle;
  bool is_migrated = false;  // of an in-tree kind that a CSI driver serves
  std::string fault;         // in parts that could not be read: no node has it. Empty: none
  bool operator==(const VolumeObject&) const = default;
};

enum class BindingMode : std::uint8_t { unset, immediate, wait_for_first_consumer };

struct StorageClassObject {
  std::string name;
  std::string provisioner;
  BindingMode mode = BindingMode::unset;
  std::vector<std::vector<Expression>> topologies;  // one must hold; none: every node
  bool operator==(const StorageClassObject&) const = default;
};

// The limits of a node: how many volumes of a driver it attaches.
struct CsiNodeObject {
  std::string name;                                          // of the node
  std::vector<std::pair<std::string, std::int64_t>> limits;  // by driver, sorted
  bool operator==(const CsiNodeObject&) const = default;
};

struct CsiDriverObject {
  std::string name;
  bool tracks_capacity = false;
  bool operator==(const CsiDriverObject&) const = default;
};

struct StorageCapacityObject {
  std::string name_space;
  std::string name;
  std::string class_name;
  std::optional<std::vector<Expression>> topology;  // none: no node reaches it
  std::optional<std::int64_t> largest;              // maximumVolumeSize, else capacity

  std::string full_name() const { return name_space + "/" + name; }
  bool operator==(const StorageCapacityObject&) const = default;
};

// VolumeAttachment.
struct AttachmentObject {
  std::string name;
  std::string node;
  std::string attacher;  // a driver
  std::string volume;
  bool operator==(const AttachmentObject&) const = default;
};

// --- events -----------------------------------------------------------------------------------

// In the order of the alternatives of StorageObject.
enum class StorageKind : std::uint8_t {
  claim,
  volume,
  storage_class,
  csi_node,
  csi_driver,
  capacity,
  attachment,
};
inline constexpr std::size_t kStorageKinds = 7;

// One of them came, or changed to this.
struct StorageObject {
  std::variant<ClaimObject, VolumeObject, StorageClassObject, CsiNodeObject, CsiDriverObject,
               StorageCapacityObject, AttachmentObject>
      object;
  StorageKind kind() const { return static_cast<StorageKind>(object.index()); }
  std::string full_name() const;  // namespace/name, or the name
  bool operator==(const StorageObject&) const = default;
};

struct StorageDeleted {
  StorageKind kind = StorageKind::claim;
  std::string full_name;
};

// Are all objects of these kinds known? Until then, and if not, pods with claims are hints.
struct StorageKnown {
  bool is_known = true;
  bool operator==(const StorageKnown&) const = default;
};

// "PersistentVolumeClaim"
const char* to_string(StorageKind kind);

}  // namespace berth
