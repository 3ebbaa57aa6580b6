#include "kube/label_selector.h"

#include <algorithm>
#include <cctype>
#include <string>

#include "berth/base/text.h"
#include "kube/fields.h"
#include "kube/pod_constraints.h"

namespace berth::kube {

namespace {

constexpr const char* kForms =
    ", expected key=value, key!=value, key in (a,b), key notin (a,b), key "
    "or !key";

bool is_label_character(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '-' || c == '_' || c == '.';
}

bool is_key(std::string_view text) {
  return !text.empty() && std::all_of(text.begin(), text.end(),
                                      [](char c) { return is_label_character(c) || c == '/'; });
}

bool is_value(std::string_view text) {
  return std::all_of(text.begin(), text.end(), &is_label_character);
}

// Cut at commas outside of brackets.
std::vector<std::string_view> split(std::string_view text) {
  std::vector<std::string_view> parts;
  std::size_t begin = 0;
  bool is_inside = false;
  for (std::size_t i = 0; i <= text.size(); ++i) {
    if (i < text.size() && (text[i] == '(' || text[i] == ')')) is_inside = text[i] == '(';
    if (i < text.size() && (text[i] != ',' || is_inside)) continue;
    parts.push_back(trimmed(text.substr(begin, i - begin)));
    begin = i + 1;
  }
  return parts;
}

Error wrong(std::string_view part) {
  return Error{"\"" + std::string(part) + "\" is no requirement on labels" + kForms, ""};
}

// "in (a,b)" or "notin (a,b)", after the key.
Result<Expression> read_list(std::string_view part, std::string_view key, std::string_view rest) {
  const bool is_not = rest.starts_with("notin");
  if (!is_not && !rest.starts_with("in")) return wrong(part);
  rest = trimmed(rest.substr(is_not ? 5 : 2));
  if (rest.size() < 2 || rest.front() != '(' || rest.back() != ')') return wrong(part);
  Expression expression{std::string(key), is_not ? Operator::not_in : Operator::in, {}};
  rest = rest.substr(1, rest.size() - 2);
  while (true) {
    const std::size_t comma = rest.find(',');
    const std::string_view value = trimmed(rest.substr(0, comma));
    if (!is_value(value)) return wrong(part);
    expression.values.emplace_back(value);
    if (comma == rest.npos) return expression;
    rest.remove_prefix(comma + 1);
  }
}

Result<Expression> read_requirement(std::string_view part) {
  if (part.starts_with('!')) {
    const std::string_view key = trimmed(part.substr(1));
    if (!is_key(key)) return wrong(part);
    return Expression{std::string(key), Operator::does_not_exist, {}};
  }
  const auto end = std::find_if_not(part.begin(), part.end(),
                                    [](char c) { return is_label_character(c) || c == '/'; });
  const std::string_view key = part.substr(0, static_cast<std::size_t>(end - part.begin()));
  const std::string_view rest = trimmed(part.substr(key.size()));
  if (!is_key(key)) return wrong(part);
  if (rest.empty()) return Expression{std::string(key), Operator::exists, {}};
  const std::size_t signs = std::min(rest.find_first_not_of("=!"), rest.size());
  const std::string_view sign = rest.substr(0, signs);
  if (sign.empty()) return read_list(part, key, rest);
  const std::string_view value = trimmed(rest.substr(signs));
  const bool is_known = sign == "=" || sign == "==" || sign == "!=";
  if (!is_known || !is_value(value)) return wrong(part);
  return Expression{
      std::string(key), sign == "!=" ? Operator::not_in : Operator::in, {std::string(value)}};
}

}  // namespace

std::vector<Expression> read_label_selector(const document::Cursor& from) {
  std::vector<Expression> selector;
  for (const auto& [key, value] : from["matchLabels"].entries()) {
    selector.push_back({std::string(key), Operator::in, {value.text()}});
  }
  for (const document::Cursor& item : from["matchExpressions"].items()) {
    selector.push_back(read_expression(item));
  }
  return selector;
}

Result<std::vector<Expression>> parse_label_selector(std::string_view text) {
  std::vector<Expression> selector;
  if (trimmed(text).empty()) return selector;
  for (const std::string_view part : split(text)) {
    Result<Expression> requirement = read_requirement(part);
    if (!requirement) return requirement.error();
    selector.push_back(*std::move(requirement));
  }
  return selector;
}

}  // namespace berth::kube
