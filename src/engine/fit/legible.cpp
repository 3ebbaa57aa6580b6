#include "berth/engine/fit.h"

namespace berth::engine::constraints {

// PREDICATE-8, BOUND-1, BOUND-3. A pod that could not be read, or of which something is left out,
// may run nowhere.
const Constraint legible{
    DependsOn::specification, [](const Place& place) {
      const berth::Constraints& has = place.shape.constraints;
      if (!has.fault.empty()) {
        return reject(Reason::pod_faulty, 0, 0, has.fault);
      }
      const Excess& excess = has.excess;
      return excess.reason == Reason::none ? pass() : reject(excess.reason, 0, 0, excess.what);
    }};

}  // namespace berth::engine::constraints
