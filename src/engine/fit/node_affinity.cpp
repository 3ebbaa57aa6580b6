#include "berth/engine/node_affinity.h"

#include <algorithm>

#include "berth/engine/fit.h"

namespace berth::engine {

bool term_holds(const SelectorTerm& term, const Node& node) {
  if (term.labels.empty() && term.fields.empty()) return false;
  const bool labels_hold =
      std::all_of(term.labels.begin(), term.labels.end(), [&](const Expression& expression) {
        const auto found = node.labels.find(expression.key);
        return expression_holds(expression, found == node.labels.end() ? nullptr : &found->second);
      });
  return labels_hold &&
         std::all_of(term.fields.begin(), term.fields.end(), [&](const Expression& expression) {
           const bool is_name = expression.key == "metadata.name";
           return expression_holds(expression, is_name ? &node.name : nullptr);
         });
}

namespace constraints {

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

}  // namespace constraints

}  // namespace berth::engine
