#include <algorithm>
#include <array>

#include "berth/base/look_up.h"
#include "berth/model/volume_table.h"

namespace berth {

namespace {

constexpr std::array<const char*, kStorageKinds> kKinds{
    "PersistentVolumeClaim", "PersistentVolume", "StorageClass", "CSINode", "CSIDriver",
    "CSIStorageCapacity",    "VolumeAttachment"};

}  // namespace

const char* to_string(StorageKind kind) { return kKinds[static_cast<std::size_t>(kind)]; }

std::string StorageObject::full_name() const {
  return std::visit(
      [](const auto& each) {
        if constexpr (requires { each.full_name(); }) {
          return each.full_name();
        } else {
          return each.name;
        }
      },
      object);
}

bool conflict(const Disk& left, const Disk& right) {
  if (left.kind != right.kind || left.id != right.id) return false;
  const bool only_read = left.is_read_only && right.is_read_only;
  switch (left.kind) {
    case DiskKind::ebs:
      return true;
    case DiskKind::gce:
    case DiskKind::iscsi:
      return !only_read;
    case DiskKind::rbd:
      break;
  }
  const auto is_common = [&](const std::string& monitor) {
    return is_any_of(monitor, right.monitors);
  };
  return !only_read && left.pool == right.pool &&
         std::any_of(left.monitors.begin(), left.monitors.end(), is_common);
}

}  // namespace berth
