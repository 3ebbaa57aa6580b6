#include "berth/engine/fit.h"

namespace berth::engine::constraints {

// VOLUME-4. Bound volumes are in the node's zone and region.
const Constraint volume_zone{DependsOn::specification, [](const Place& place) {
                               const VolumeNeeds& needs = place.shape.constraints.volumes;
                               const bool holds =
                                   needs.claims.empty() || zones_hold(needs, place.node.labels);
                               return holds ? pass() : reject(Reason::volume_zone);
                             }};

}  // namespace berth::engine::constraints
