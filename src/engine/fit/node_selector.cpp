#include "berth/engine/fit.h"

namespace berth::engine::constraints {

// PREDICATE-2. The node has every label of the node selector.
const Constraint node_selector{
    DependsOn::specification,
    [](const Shape& shape) { return !shape.constraints.node_selector.empty(); },
    [](const Place& place) {
      for (const auto& [label, value] : place.shape.constraints.node_selector) {
        const auto found = place.node.labels.find(label);
        if (found == place.node.labels.end() || found->second != value) {
          return reject_for_good(Reason::node_selector_mismatch);
        }
      }
      return pass();
    }};

}  // namespace berth::engine::constraints
