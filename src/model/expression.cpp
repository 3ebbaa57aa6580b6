#include "berth/model/expression.h"

#include <algorithm>

#include "berth/base/look_up.h"
#include "berth/base/number.h"

namespace berth {

bool expression_holds(const Expression& expression, const std::string* value) {
  const auto& values = expression.values;
  const bool is_listed = value != nullptr && is_any_of(*value, values);
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
  const auto have = parse_number<std::int64_t>(*value);
  const auto bound = parse_number<std::int64_t>(values.front());
  if (!have || !bound) return false;
  return expression.op == Operator::greater ? *have > *bound : *have < *bound;
}

bool all_hold(const std::vector<Expression>& all, const LabelsByKey& labels) {
  return all_hold(all, [&](const std::string& key) { return find_value(labels, key); });
}

bool all_hold(const std::vector<Expression>& all,
              const std::vector<std::pair<std::string, std::string>>& labels) {
  return all_hold(all, [&](const std::string& key) {
    const auto found = std::find_if(labels.begin(), labels.end(),
                                    [&](const auto& label) { return label.first == key; });
    return found == labels.end() ? nullptr : &found->second;
  });
}

}  // namespace berth
