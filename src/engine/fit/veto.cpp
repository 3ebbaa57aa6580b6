#include <algorithm>

#include "berth/engine/fit.h"

namespace berth::engine::constraints {

// PREDICATE-7. kube-scheduler has not ruled the node out for pods of this shape a moment ago.
const Constraint veto{
    DependsOn::specification, [](const Place& place) {
      const auto found =
          std::find_if(place.node.vetoed.begin(), place.node.vetoed.end(),
                       [&](const auto& each) { return each.first == place.shape.lasting_key; });
      return found == place.node.vetoed.end() ? pass()
                                              : reject(Reason::vetoed, 0, 0, found->second);
    }};

}  // namespace berth::engine::constraints
