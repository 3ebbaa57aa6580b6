#include "berth/engine/fit.h"

namespace berth::engine::constraints {

// PREDICATE-8. A pod that could not be read may run nowhere.
const Constraint legible{DependsOn::specification, [](const Place& place) {
                           const std::string& fault = place.shape.constraints.fault;
                           return fault.empty() ? pass() : reject(Reason::pod_faulty, 0, 0, fault);
                         }};

}  // namespace berth::engine::constraints
