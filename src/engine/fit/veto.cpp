#include <algorithm>

#include "berth/engine/fit.h"

namespace berth::engine::constraints {

// PREDICATE-7. kube-scheduler has not ruled the node out for pods of this shape a moment ago.
const Constraint veto{DependsOn::specification, [](const Shape&) { return true; },
                      [](const Place& place) {
                        const auto& vetoed = place.node.vetoed;
                        const bool is_vetoed =
                            std::binary_search(vetoed.begin(), vetoed.end(), place.shape.id);
                        return is_vetoed ? reject_for_good(Reason::vetoed) : pass();
                      }};

}  // namespace berth::engine::constraints
