#include "podview/refusal.h"

#include <nlohmann/json.hpp>

namespace berth::podview {

namespace {

using PlainJson = nlohmann::json;

// Null if there is none, or if `object` is none.
const PlainJson* find(const PlainJson& object, const char* key) {
  if (!object.is_object()) return nullptr;
  const auto found = object.find(key);
  return found == object.end() ? nullptr : &*found;
}

std::string text_of(const PlainJson& object, const char* key) {
  const PlainJson* value = find(object, key);
  const auto* text = value == nullptr ? nullptr : value->get_ptr<const std::string*>();
  return text == nullptr ? "" : *text;
}

}  // namespace

std::optional<Refusal> refusal_in(std::string_view patch) {
  const PlainJson body = PlainJson::parse(patch, nullptr, false);
  const PlainJson* status = find(body, "status");
  const PlainJson* conditions = status == nullptr ? nullptr : find(*status, "conditions");
  if (conditions == nullptr || !conditions->is_array()) return std::nullopt;
  for (const PlainJson& condition : *conditions) {
    if (text_of(condition, "type") == "PodScheduled" && text_of(condition, "status") == "False") {
      return Refusal{text_of(condition, "reason"), text_of(condition, "message")};
    }
  }
  return std::nullopt;
}

}  // namespace berth::podview
