#include "mirror/mirror.h"

// Claims, volumes, and who mounts them.

namespace berth::mirror {

void Mirror::on(const StorageObject& object) { volumes_.put(object); }

void Mirror::on(const StorageDeleted& deleted) {
  volumes_.remove(deleted.kind, deleted.full_name);
}

void Mirror::on(const StorageKnown& known) { knows_volumes_ = known.is_known; }

}  // namespace berth::mirror
