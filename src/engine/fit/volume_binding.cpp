#include "berth/engine/fit.h"

// Where the claims of a pod have their volumes, or can get some. docs/design/volumes.md.

namespace berth::engine::constraints {

namespace {

Verdict verdict_of(Reason reason, const VolumeNeeds& needs) {
  if (reason == Reason::none) return pass();
  return reject(reason, 0, 0, reason == Reason::claim_not_ready ? needs.fault : std::string_view());
}

}  // namespace

// VOLUME-1 to VOLUME-3, VOLUME-5 to VOLUME-8, whatever other pods take.
const Constraint volume_binding{
    DependsOn::specification, [](const Place& place) {
      const VolumeNeeds& needs = place.shape.constraints.volumes;
      if (needs.claims.empty() && needs.fault.empty()) return pass();
      const VolumeTable& volumes = place.cluster.relations().volumes();
      return verdict_of(volumes.may_run_on(needs, place.node.name, place.node.labels), needs);
    }};

// VOLUME-6, VOLUME-9, VOLUME-12: the volumes that other pods have not taken. Those that leave keep
// theirs until they have left.
const Constraint free_volumes{
    DependsOn::domain,
    [](const Place& place) {
      if (place.occupants == Occupants::staying) return pass();
      const VolumeNeeds& needs = place.shape.constraints.volumes;
      const VolumeTable& volumes = place.cluster.relations().volumes();
      return verdict_of(volumes.is_free(needs, place.node.name, place.node.labels), needs);
    },
    [](const Shape& shape) { return shape.constraints.volumes.depend_on_plan; }};

}  // namespace berth::engine::constraints
