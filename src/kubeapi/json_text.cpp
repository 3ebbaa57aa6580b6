#include "kubeapi/json_text.h"

#include <nlohmann/json.hpp>

namespace berth::kubeapi {

std::string text_at(const nlohmann::json& json, const char* pointer) {
  const nlohmann::json::json_pointer at(pointer);
  return json.contains(at) && json[at].is_string() ? json[at].get<std::string>() : std::string();
}

}  // namespace berth::kubeapi
