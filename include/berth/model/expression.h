#pragma once

#include <compare>
#include <cstdint>
#include <string>
#include <vector>

namespace berth {

enum class Operator : std::uint8_t { in, not_in, exists, does_not_exist, greater, less };

struct Expression {
  std::string key;
  Operator op = Operator::in;
  std::vector<std::string> values;
  auto operator<=>(const Expression&) const = default;
};

// All expressions must hold. An empty term matches nothing (Kubernetes' rule).
struct SelectorTerm {
  std::vector<Expression> labels;  // matchExpressions
  std::vector<Expression> fields;  // matchFields: only metadata.name
  auto operator<=>(const SelectorTerm&) const = default;
};

// Does it hold for a label or field of this value? Null: there is none. `greater` and `less`
// compare whole numbers, and do not hold for other values.
bool expression_holds(const Expression& expression, const std::string* value);

}  // namespace berth
