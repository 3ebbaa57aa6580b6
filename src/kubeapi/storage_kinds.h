#pragma once

#include <array>

#include "berth/model/volumes.h"
#include "kubeapi/kept_keys.h"

namespace berth::kubeapi {

// One of the kinds that volumes need (docs/design/volumes.md).
struct StorageResource {
  const char* name;  // "csinodes"
  const char* path;
  const char* api_version;
  const KeptKeys* keeps;
};

// By StorageKind.
const std::array<StorageResource, kStorageKinds>& storage_resources();

}  // namespace berth::kubeapi
