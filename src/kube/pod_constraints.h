#pragma once

#include "berth/model/objects.h"
#include "document/cursor.h"

namespace berth::kube {

// Where a pod may run. Parts whose order means nothing are sorted, so that pods of one template
// have equal constraints. `spec` is the pod's spec.
Constraints read_constraints(const document::Cursor& spec);

// Takes the toleration that we write for locks out: it must not tell a pod from others like it.
// Returns which locks of targets are tolerated, by such ones or others.
LockTolerations take_lock_tolerations(Constraints& constraints);

}  // namespace berth::kube
