#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "berth/model/event.h"
#include "support/scene_line.h"

namespace berth::support {

// The lines claim, volume, storageclass, csinode, csidriver, capacity and attachment, as
// tests/scenarios/README.md has them. From the first of them on, volumes are known.
bool is_about_storage(const std::string& verb);
StorageObject read_storage(SceneLine& line);

// The options claims, ephemeral and disks of `task` and `pod`.
VolumeWishes read_volume_wishes(SceneLine& line);
// Of one pod: "#" in names of claims is its index.
VolumeWishes wishes_of(const VolumeWishes& all, const std::string& pod, std::int64_t index);

}  // namespace berth::support
