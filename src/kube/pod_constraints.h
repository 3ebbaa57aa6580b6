#pragma once

#include "berth/model/objects.h"
#include "conf/cursor.h"

namespace berth::kube {

// Where a pod may run. Parts whose order means nothing are sorted, so that pods of one template
// have equal constraints. `spec` is the pod's spec.
Constraints read_constraints(const conf::Cursor& spec);

// Takes the toleration that we write for locks out: it must not tell a pod from others like it.
// Returns whether locks of targets are tolerated, by that one or another.
bool take_lock_toleration(Constraints& constraints);

}  // namespace berth::kube
