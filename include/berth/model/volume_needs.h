#pragma once

#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "berth/model/expression.h"

// What a pod mounts, and what that requires of a node. Plain values. docs/design/volumes.md.

namespace berth {

// Access modes of a claim or a volume, as bits.
inline constexpr std::uint8_t kReadWriteOnce = 1;
inline constexpr std::uint8_t kReadOnlyMany = 2;
inline constexpr std::uint8_t kReadWriteMany = 4;
inline constexpr std::uint8_t kReadWriteOncePod = 8;

// A claim that a pod mounts, in its namespace.
struct ClaimWish {
  std::string name;           // of the claim: POD-VOLUME, if it is ephemeral
  bool is_ephemeral = false;  // made for this pod alone
  auto operator<=>(const ClaimWish&) const = default;
};

enum class DiskKind : std::uint8_t { gce, ebs, iscsi, rbd };

// A disk that the pod itself names. VOLUME-10.
struct Disk {
  DiskKind kind = DiskKind::gce;
  std::string id;                     // name, volume id, IQN or image
  std::string pool;                   // of RBD
  std::vector<std::string> monitors;  // of RBD
  bool is_read_only = false;
  auto operator<=>(const Disk&) const = default;
};

// The volumes of a pod's spec that matter here, in the order of the spec.
struct VolumeWishes {
  std::vector<ClaimWish> claims;
  std::vector<Disk> disks;
  bool has_migrated = false;  // an in-tree disk that a CSI driver attaches
  bool are_empty() const { return claims.empty() && disks.empty() && !has_migrated; }
  auto operator<=>(const VolumeWishes&) const = default;
};

// A zone or region of a volume, by a label of it.
struct ZoneLabel {
  std::string key;
  std::vector<std::string> values;  // sorted; never empty
  auto operator<=>(const ZoneLabel&) const = default;
};

// What one claim requires of a node. Equal for claims that are alike (VOLUME-13).
struct VolumeNeed {
  bool is_bound = false;
  // Of one that is bound.
  bool is_missing = false;                            // its volume does not exist
  std::optional<std::vector<SelectorTerm>> affinity;  // of the volume
  std::vector<ZoneLabel> zones;
  // Of one that is late: what its volume must be like. Bytes.
  std::string class_name;
  std::optional<std::int64_t> size;
  std::uint8_t modes = 0;
  bool is_block = false;
  std::string attributes_class;
  std::optional<std::vector<Expression>> selector;
  std::optional<std::string> selected_node;
  // Of both.
  std::string driver;  // its volume counts on a node against the limit of this driver; empty: none
  // Of one that another pod, or a volume, names, too: which one it is. Else empty and 0.
  std::string claim;            // namespace/name
  std::uint64_t volume = 0;     // a number of its driver and handle
  bool is_for_one_pod = false;  // ReadWriteOncePod, and others name it
  auto operator<=>(const VolumeNeed&) const = default;
};

struct VolumeNeeds {
  std::vector<VolumeNeed> claims;
  std::vector<Disk> disks;
  bool has_node = false;        // the pod has one, so its claims admit it
  bool depend_on_plan = false;  // on what other pods take of late claims and of those for one pod
  // VOLUME-1, VOLUME-2. Why the pod runs nowhere, in kube-scheduler's words. Empty: it may run.
  std::string fault;
  bool are_empty() const { return claims.empty() && disks.empty() && fault.empty() && !has_node; }
  auto operator<=>(const VolumeNeeds&) const = default;
};

}  // namespace berth
