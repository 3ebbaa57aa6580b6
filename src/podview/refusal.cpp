#include "podview/refusal.h"

#include <nlohmann/json.hpp>

namespace berth::podview {

namespace {

using PlainJson = nlohmann::json;

std::string text_of(const PlainJson& object, const char* key) {
  const auto* text = object.contains(key) ? object[key].get_ptr<const std::string*>() : nullptr;
  return text == nullptr ? "" : *text;
}

}  // namespace

std::optional<Refusal> refusal_in(std::string_view patch) {
  const PlainJson body = PlainJson::parse(patch, nullptr, false);
  const PlainJson::json_pointer conditions("/status/conditions");
  if (!body.contains(conditions) || !body[conditions].is_array()) return std::nullopt;
  for (const PlainJson& condition : body[conditions]) {
    if (text_of(condition, "type") == "PodScheduled" && text_of(condition, "status") == "False") {
      return Refusal{text_of(condition, "reason"), text_of(condition, "message")};
    }
  }
  return std::nullopt;
}

}  // namespace berth::podview
