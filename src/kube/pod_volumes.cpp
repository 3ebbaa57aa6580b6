#include "kube/pod_volumes.h"

#include "kube/fields.h"
#include "kube/storage_fields.h"

namespace berth::kube {

namespace {

void read_disk(const document::Cursor& volume, VolumeWishes& wishes) {
  if (const document::Cursor gce = volume["gcePersistentDisk"]; gce.is_present()) {
    wishes.disks.push_back(
        {DiskKind::gce, gce["pdName"].text(), {}, {}, gce["readOnly"].boolean(false)});
  } else if (const document::Cursor ebs = volume["awsElasticBlockStore"]; ebs.is_present()) {
    wishes.disks.push_back({DiskKind::ebs, ebs["volumeID"].text(), {}, {}, false});
  } else if (const document::Cursor iscsi = volume["iscsi"]; iscsi.is_present()) {
    wishes.disks.push_back(
        {DiskKind::iscsi, iscsi["iqn"].text(), {}, {}, iscsi["readOnly"].boolean(false)});
  } else if (const document::Cursor rbd = volume["rbd"]; rbd.is_present()) {
    wishes.disks.push_back({DiskKind::rbd, rbd["image"].text(), rbd["pool"].text(),
                            read_texts(rbd["monitors"]), rbd["readOnly"].boolean(false)});
  }
}

}  // namespace

VolumeWishes read_volume_wishes(const document::Cursor& spec, const std::string& pod_name) {
  VolumeWishes wishes;
  for (const document::Cursor& volume : spec["volumes"].items()) {
    const document::Cursor claim = volume["persistentVolumeClaim"];
    if (claim.is_present()) {
      wishes.claims.push_back({claim["claimName"].text(), false});
    } else if (volume["ephemeral"].is_present()) {
      wishes.claims.push_back({pod_name + "-" + volume["name"].text(), true});
    } else {
      read_disk(volume, wishes);
    }
    wishes.has_migrated |= has_migrated_disk(volume);
  }
  return wishes;
}

}  // namespace berth::kube
