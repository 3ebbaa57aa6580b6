#pragma once

#include <string>

#include "berth/model/volume_needs.h"
#include "document/cursor.h"

namespace berth::kube {

// The claims and disks that a pod of this name mounts, from its spec.
VolumeWishes read_volume_wishes(const document::Cursor& spec, const std::string& pod_name);

}  // namespace berth::kube
