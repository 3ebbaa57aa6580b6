#include <algorithm>

#include "berth/engine/fit.h"

namespace berth::engine::constraints {

// VOLUME-11. The node attaches so many volumes of a driver. Those of pods that leave count until
// they have left; nobody knows which stay attached then.
const Constraint volume_limits{
    DependsOn::occupants,
    [](const Place& place) {
      const VolumeTable& volumes = place.cluster.relations().volumes();
      const bool is_alone = place.occupants == Occupants::staying;
      const Reason reason =
          volumes.has_room(place.shape.constraints.volumes, place.node.name, is_alone);
      return reason == Reason::none ? pass() : reject(reason);
    },
    [](const Shape& shape) {
      const auto& claims = shape.constraints.volumes.claims;
      return std::any_of(claims.begin(), claims.end(),
                         [](const VolumeNeed& need) { return !need.driver.empty(); });
    }};

}  // namespace berth::engine::constraints
