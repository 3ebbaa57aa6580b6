#pragma once

#include <algorithm>
#include <compare>
#include <cstdint>
#include <map>
#include <string>
#include <utility>
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

// `value_of(key)` is the value of a label, null: there is none.
template <class ValueOf>
bool all_hold(const std::vector<Expression>& all, const ValueOf& value_of) {
  return std::all_of(all.begin(), all.end(), [&](const Expression& each) {
    return expression_holds(each, value_of(each.key));
  });
}

using LabelsByKey = std::map<std::string, std::string>;
bool all_hold(const std::vector<Expression>& all, const LabelsByKey& labels);
bool all_hold(const std::vector<Expression>& all,
              const std::vector<std::pair<std::string, std::string>>& labels);

}  // namespace berth
