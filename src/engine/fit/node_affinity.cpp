#include <algorithm>

#include "berth/engine/fit.h"
#include "berth/model/node_match.h"

namespace berth::engine::constraints {

// PREDICATE-3. Where required node affinity is given, one of its terms holds.
const Constraint node_affinity{DependsOn::specification, [](const Place& place) {
                                 if (!place.shape.constraints.has_required_terms) return pass();
                                 const auto& terms = place.shape.constraints.required_terms;
                                 const bool one_holds = std::any_of(
                                     terms.begin(), terms.end(), [&](const SelectorTerm& term) {
                                       return term_holds(term, place.node);
                                     });
                                 return one_holds ? pass() : reject(Reason::node_affinity_mismatch);
                               }};

}  // namespace berth::engine::constraints
