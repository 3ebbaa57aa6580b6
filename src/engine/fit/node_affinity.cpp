#include "berth/engine/node_affinity.h"

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <optional>

#include "berth/engine/fit.h"

namespace berth::engine {

namespace {

std::optional<std::int64_t> whole_number(const std::string& text) {
  std::int64_t number = 0;
  const char* end = text.data() + text.size();
  const auto [rest, code] = std::from_chars(text.data(), end, number);
  if (code != std::errc{} || rest != end) return std::nullopt;
  return number;
}

// `value` is null where the node has no such label or field.
bool expression_holds(const Expression& expression, const std::string* value) {
  const auto& values = expression.values;
  const bool is_listed =
      value != nullptr && std::find(values.begin(), values.end(), *value) != values.end();
  switch (expression.op) {
    case Operator::in:
      return is_listed;
    case Operator::not_in:
      return !is_listed;
    case Operator::exists:
      return value != nullptr;
    case Operator::does_not_exist:
      return value == nullptr;
    case Operator::greater:
    case Operator::less:
      break;
  }
  if (value == nullptr || values.size() != 1) return false;
  const auto have = whole_number(*value);
  const auto bound = whole_number(values.front());
  if (!have || !bound) return false;
  return expression.op == Operator::greater ? *have > *bound : *have < *bound;
}

}  // namespace

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
