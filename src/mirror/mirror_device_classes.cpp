#include <set>
#include <utility>

#include "mirror/mirror.h"

// DIMENSION-4: docs/design/dimensions.md.

namespace berth::mirror {

void Mirror::on(const DeviceClassObject& object) {
  device_classes_[object.name] = object;
  device_classes_changed_ = true;
}

void Mirror::on(const DeviceClassDeleted& deleted) {
  device_classes_changed_ |= device_classes_.erase(deleted.name) > 0;
}

void Mirror::settle_device_classes() {
  if (!std::exchange(device_classes_changed_, false)) return;
  std::set<std::string> resources;
  for (const auto& [name, object] : device_classes_) resources.merge(resources_of(object));
  if (resources == cluster_.dimensions().of_classes()) return;
  cluster_.set_device_classes(resources);
  for (const auto& [name, group] : groups_) {
    if (group.has_object) cluster_.set_min_resources(group.job, group.object.min_resources);
  }
  mark_all_dirty();
}

}  // namespace berth::mirror
