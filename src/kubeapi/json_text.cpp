#include "kubeapi/json_text.h"

#include <nlohmann/json.hpp>

#include "document/readers.h"

namespace berth::kubeapi {

// API-20
nlohmann::json read_json(std::string_view text) {
  bool is_too_deep = false;
  const auto limit = [&is_too_deep](int depth, nlohmann::json::parse_event_t,
                                    const nlohmann::json&) {
    is_too_deep = is_too_deep || depth > document::kDepthMax;
    return !is_too_deep;
  };
  nlohmann::json value = nlohmann::json::parse(text, limit, false);
  return is_too_deep ? nlohmann::json(nlohmann::json::value_t::discarded) : value;
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
