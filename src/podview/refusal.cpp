#include "podview/refusal.h"

#include <nlohmann/json.hpp>

namespace berth::podview {

namespace {

using Json = nlohmann::json;

// Null if there is none, or if `object` is none.
const Json* find(const Json& object, const char* key) {
  if (!object.is_object()) return nullptr;
  const auto found = object.find(key);
  return found == object.end() ? nullptr : &*found;
}

std::string text_of(const Json& object, const char* key) {
  const Json* value = find(object, key);
  const auto* text = value == nullptr ? nullptr : value->get_ptr<const std::string*>();
  return text == nullptr ? "" : *text;
}

}  // namespace

std::optional<Refusal> refusal_in(std::string_view patch) {
  const Json body = Json::parse(patch, nullptr, false);
  const Json* status = find(body, "status");
  const Json* conditions = status == nullptr ? nullptr : find(*status, "conditions");
  if (conditions == nullptr || !conditions->is_array()) return std::nullopt;
  for (const Json& condition : *conditions) {
    if (text_of(condition, "type") == "PodScheduled" && text_of(condition, "status") == "False") {
      return Refusal{text_of(condition, "reason"), text_of(condition, "message")};
    }
  }
  return std::nullopt;
}

}  // namespace berth::podview
