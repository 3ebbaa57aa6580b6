#include "berth/engine/fit.h"
#include "berth/model/node_match.h"

namespace berth::engine {

bool tolerates_cordon(const Shape& shape) {
  static const Taint kCordon{"node.kubernetes.io/unschedulable", "", TaintEffect::no_schedule};
  return is_tolerated(kCordon, shape.constraints.tolerations);
}

namespace constraints {

// PREDICATE-1. A cordoned node takes only pods that tolerate the cordon.
const Constraint cordon{DependsOn::specification, [](const Place& place) {
                          const bool is_open =
                              !place.node.is_unschedulable || tolerates_cordon(place.shape);
                          return is_open ? pass() : reject(Reason::node_unschedulable);
                        }};

}  // namespace constraints
}  // namespace berth::engine
