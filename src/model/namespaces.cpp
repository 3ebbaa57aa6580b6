#include "berth/model/namespaces.h"

#include "berth/base/look_up.h"

namespace berth {

namespace {

std::string text_of(const Expression& expression) {
  std::string values;
  for (const std::string& value : expression.values) values += (values.empty() ? "" : ",") + value;
  switch (expression.op) {
    case Operator::in:
      return expression.values.size() == 1 ? expression.key + "=" + values
                                           : expression.key + " in (" + values + ")";
    case Operator::not_in:
      return expression.values.size() == 1 ? expression.key + "!=" + values
                                           : expression.key + " notin (" + values + ")";
    case Operator::does_not_exist:
      return "!" + expression.key;
    case Operator::exists:
    case Operator::greater:
    case Operator::less:
      break;
  }
  return expression.key;
}

}  // namespace

bool NamespaceSelector::selects(const std::string& name,
                                const std::map<std::string, std::string>& labels) const {
  return all_hold(requirements, [&](const std::string& key) {
    return key == kNamespaceNameLabel ? &name : find_value(labels, key);
  });
}

std::string NamespaceSelector::text() const {
  std::string text;
  for (const Expression& each : requirements) text += (text.empty() ? "" : ",") + text_of(each);
  return text;
}

}  // namespace berth
