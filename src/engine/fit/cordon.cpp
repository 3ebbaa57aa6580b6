#include "berth/engine/fit.h"
#include "berth/engine/node_affinity.h"

namespace berth::engine::constraints {

// PREDICATE-1. A cordoned node takes only pods that tolerate the cordon.
const Constraint cordon{
    DependsOn::specification, [](const Shape&) { return true; },
    [](const Place& place) {
      if (!place.node.is_unschedulable) return pass();
      static const Taint kCordon{"node.kubernetes.io/unschedulable", "", TaintEffect::no_schedule};
      if (is_tolerated(kCordon, place.shape.constraints.tolerations)) return pass();
      return reject_for_good(Reason::node_unschedulable);
    }};

}  // namespace berth::engine::constraints
