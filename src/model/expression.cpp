#include "berth/model/expression.h"

#include <algorithm>
#include <charconv>
#include <optional>

namespace berth {

namespace {

std::optional<std::int64_t> whole_number(const std::string& text) {
  std::int64_t number = 0;
  const char* end = text.data() + text.size();
  const auto [rest, code] = std::from_chars(text.data(), end, number);
  if (code != std::errc{} || rest != end) return std::nullopt;
  return number;
}

}  // namespace

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

}  // namespace berth
