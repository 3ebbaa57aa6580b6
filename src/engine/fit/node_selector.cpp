#include "berth/engine/fit.h"
#include "berth/model/node_match.h"

namespace berth::engine::constraints {

// PREDICATE-2. The node has every label of the node selector.
const Constraint node_selector{DependsOn::specification, [](const Place& place) {
                                 return has_labels(place.node,
                                                   place.shape.constraints.node_selector)
                                            ? pass()
                                            : reject(Reason::node_selector_mismatch);
                               }};

}  // namespace berth::engine::constraints
