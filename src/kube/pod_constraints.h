#pragma once

#include "berth/model/objects.h"
#include "conf/cursor.h"

namespace berth::kube {

// Where a pod may run. Parts whose order means nothing are sorted, so that pods of one template
// have equal constraints. `spec` is the pod's spec.
Constraints read_constraints(const conf::Cursor& spec);

}  // namespace berth::kube
