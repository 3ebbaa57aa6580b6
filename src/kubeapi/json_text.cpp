#include "kubeapi/json_text.h"

#include <nlohmann/json.hpp>

#include "document/readers.h"

namespace berth::kubeapi {

namespace {

// The library's own callback for this looks at all members of an object as each of them ends.
bool is_too_deep(std::string_view text) {
  int depth = 0;
  bool is_in_string = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (is_in_string) {
      if (c == '\\') ++i;
      is_in_string = c != '"';
      continue;
    }
    is_in_string = c == '"';
    if (c == '{' || c == '[') ++depth;
    if (c == '}' || c == ']') --depth;
    if (depth > document::kDepthMax) return true;
  }
  return false;
}

}  // namespace

// API-20
nlohmann::json read_json(std::string_view text) {
  if (is_too_deep(text)) return nlohmann::json::value_t::discarded;
  return nlohmann::json::parse(text, nullptr, false);
}

const nlohmann::json& value_at(const nlohmann::json& json, const char* pointer) {
  static const nlohmann::json kNothing;
  const nlohmann::json::json_pointer at(pointer);
  return json.contains(at) ? json[at] : kNothing;
}

std::string text_at(const nlohmann::json& json, const char* pointer) {
  const auto* text = value_at(json, pointer).get_ptr<const nlohmann::json::string_t*>();
  return text == nullptr ? std::string() : *text;
}

std::int64_t integer_at(const nlohmann::json& json, const char* pointer) {
  const auto* number = value_at(json, pointer).get_ptr<const nlohmann::json::number_integer_t*>();
  return number == nullptr ? 0 : *number;
}

std::string json_text(const nlohmann::ordered_json& json) {
  return json.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
}

}  // namespace berth::kubeapi
