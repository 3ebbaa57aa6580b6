#include "berth/engine/fit.h"
#include "berth/model/node_match.h"

namespace berth::engine::constraints {

// PREDICATE-4. Every taint that keeps pods off is tolerated.
const Constraint taints{DependsOn::specification, [](const Place& place) {
                          const Taint* const taint =
                              taint_in_the_way(place.node, place.shape.constraints.tolerations);
                          if (taint == nullptr) return pass();
                          return reject(Reason::taint_not_tolerated, 0, 0, taint->key);
                        }};

}  // namespace berth::engine::constraints
