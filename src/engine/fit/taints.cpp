#include <algorithm>

#include "berth/engine/fit.h"
#include "berth/engine/node_affinity.h"

namespace berth::engine {

bool is_tolerated(const Taint& taint, const std::vector<Toleration>& tolerations) {
  return std::any_of(tolerations.begin(), tolerations.end(), [&](const Toleration& toleration) {
    if (toleration.effect != TaintEffect::any && toleration.effect != taint.effect) {
      return false;
    }
    if (!toleration.key.empty() && toleration.key != taint.key) return false;
    return toleration.exists || (!toleration.key.empty() && toleration.value == taint.value);
  });
}

namespace constraints {

// PREDICATE-4. Every taint that keeps pods off is tolerated.
const Constraint taints{DependsOn::specification, [](const Shape&) { return true; },
                        [](const Place& place) {
                          for (const Taint& taint : place.node.taints) {
                            if (taint.effect == TaintEffect::prefer_no_schedule) continue;
                            if (!is_tolerated(taint, place.shape.constraints.tolerations)) {
                              return reject_for_good(Reason::taint_not_tolerated, taint.key);
                            }
                          }
                          return pass();
                        }};

}  // namespace constraints

}  // namespace berth::engine
