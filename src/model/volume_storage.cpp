#include <algorithm>

#include "model/volume_store.h"

// Classes, drivers, capacities, limits and attachments.

namespace berth {

void VolumeTable::Impl::put(const StorageClassObject& object) {
  const auto known = classes_.find(object.name);
  if (known != classes_.end() && known->second == object) return;
  change(claims_of_class(object.name), [&] {
    classes_.insert_or_assign(object.name, object);
    driver_named(object.provisioner);
  });
  touch_late();
}

void VolumeTable::Impl::put(const CsiDriverObject& object) {
  const auto known = tracks_capacity_.find(object.name);
  if (known != tracks_capacity_.end() && known->second == object.tracks_capacity) return;
  tracks_capacity_[object.name] = object.tracks_capacity;
  touch_late();
}

void VolumeTable::Impl::put(const StorageCapacityObject& object) {
  const std::string name = object.full_name();
  const auto known = class_of_capacity_.find(name);
  if (known != class_of_capacity_.end()) {
    if (capacities_[known->second][name] == object) return;
    capacities_[known->second].erase(name);
  }
  class_of_capacity_[name] = object.class_name;
  capacities_[object.class_name][name] = object;
  touch_late();
}

void VolumeTable::Impl::put(const CsiNodeObject& object) {
  NodeVolumes& node = nodes_[object.name];
  if (node.limits != object.limits) {
    changed_nodes_.insert(object.name);
    ++limits_version_;
  }
  node.limits = object.limits;
  if (node.is_empty()) nodes_.erase(object.name);
}

void VolumeTable::Impl::put(const AttachmentObject& object) {
  const auto known = attachments_.find(object.name);
  if (known != attachments_.end() && known->second == object) return;
  remove_attachment(object.name);
  attachments_.emplace(object.name, object);
  if (object.volume.empty()) return;
  const VolumeId volume = volumes_.make(object.volume);
  ++volumes_[volume].attachments;
  attachments_of_.emplace(volume, object.name);
  attach(object, +1);
}

void VolumeTable::Impl::remove_attachment(const std::string& name) {
  const auto known = attachments_.find(name);
  if (known == attachments_.end()) return;
  const AttachmentObject object = known->second;
  attachments_.erase(known);
  if (object.volume.empty()) return;
  attach(object, -1);
  const VolumeId volume = volumes_.find(object.volume);
  const auto [first, last] = attachments_of_.equal_range(volume);
  attachments_of_.erase(
      std::find_if(first, last, [&](const auto& each) { return each.second == name; }));
  --volumes_[volume].attachments;
  volumes_.erase_if_unused(volume);
}

// Counted under its attacher's name, and only for volumes of CSI.
void VolumeTable::Impl::attach(const AttachmentObject& object, std::int32_t sign) {
  const StoredVolume& volume = volumes_[volumes_.find(object.volume)];
  if (volume.driver == nullptr || object.attacher.empty()) return;
  const std::string* const driver = driver_named(object.attacher);
  NodeVolumes& node = nodes_[object.node];
  node.add({key_of(*driver, volume.handle), driver}, 0, sign);
  if (node.limit(object.attacher) != nullptr) changed_nodes_.insert(object.node);
  if (node.is_empty()) nodes_.erase(object.node);
}

void VolumeTable::Impl::attach_all(VolumeId id, std::int32_t sign) {
  const auto [first, last] = attachments_of_.equal_range(id);
  for (auto each = first; each != last; ++each) attach(attachments_.at(each->second), sign);
}

void VolumeTable::Impl::remove(StorageKind kind, const std::string& full_name) {
  switch (kind) {
    case StorageKind::claim:
      return remove_claim(full_name);
    case StorageKind::volume:
      return remove_volume(full_name);
    case StorageKind::storage_class:
      change(claims_of_class(full_name), [&] { classes_.erase(full_name); });
      return touch_late();
    case StorageKind::csi_node:
      return put(CsiNodeObject{full_name, {}});
    case StorageKind::csi_driver:
      tracks_capacity_.erase(full_name);
      return touch_late();
    case StorageKind::capacity:
      if (const auto found = class_of_capacity_.find(full_name);
          found != class_of_capacity_.end()) {
        capacities_[found->second].erase(full_name);
        class_of_capacity_.erase(found);
      }
      return touch_late();
    case StorageKind::attachment:
      return remove_attachment(full_name);
  }
}

// --- nodes ------------------------------------------------------------------------------------

void NodeVolumes::add(const CountedVolume& volume, std::int32_t mounts, std::int32_t attachments) {
  Use& use = uses_[volume.key];
  const bool counted = use.mounts > 0 || use.attachments > 0;
  use.mounts += mounts;
  use.attachments += attachments;
  const bool counts = use.mounts > 0 || use.attachments > 0;
  if (!counts) uses_.erase(volume.key);
  if (counted == counts) return;
  const auto found = std::find_if(counts_.begin(), counts_.end(),
                                  [&](const auto& each) { return each.first == volume.driver; });
  if (found == counts_.end()) {
    counts_.emplace_back(volume.driver, 1);
  } else {
    found->second += counts ? 1 : -1;
    if (found->second == 0) counts_.erase(found);
  }
}

std::int64_t NodeVolumes::count(const std::string* driver) const {
  for (const auto& [name, number] : counts_) {
    if (name == driver) return number;
  }
  return 0;
}

bool NodeVolumes::is_used(std::uint64_t key) const {
  const auto found = uses_.find(key);
  return found != uses_.end() && found->second.mounts > 0;
}

const std::int64_t* NodeVolumes::limit(std::string_view driver) const {
  for (const auto& [name, number] : limits) {
    if (name == driver) return &number;
  }
  return nullptr;
}

}  // namespace berth
