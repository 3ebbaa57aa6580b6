#include "kubeapi/storage_kinds.h"

namespace berth::kubeapi {

const std::array<StorageResource, kStorageKinds>& storage_resources() {
  static const std::array<StorageResource, kStorageKinds> kResources{
      {{"persistentvolumeclaims", "/api/v1/persistentvolumeclaims", "v1", &keys_of_claims()},
       {"persistentvolumes", "/api/v1/persistentvolumes", "v1", &keys_of_volumes()},
       {"storageclasses", "/apis/storage.k8s.io/v1/storageclasses", "storage.k8s.io/v1",
        &keys_of_storage()},
       {"csinodes", "/apis/storage.k8s.io/v1/csinodes", "storage.k8s.io/v1", &keys_of_storage()},
       {"csidrivers", "/apis/storage.k8s.io/v1/csidrivers", "storage.k8s.io/v1",
        &keys_of_storage()},
       {"csistoragecapacities", "/apis/storage.k8s.io/v1/csistoragecapacities", "storage.k8s.io/v1",
        &keys_of_storage()},
       {"volumeattachments", "/apis/storage.k8s.io/v1/volumeattachments", "storage.k8s.io/v1",
        &keys_of_storage()}}};
  return kResources;
}

}  // namespace berth::kubeapi
