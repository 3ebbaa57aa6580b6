#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

namespace berth::kubeapi {

// The string at a JSON pointer; empty if it is absent or no string.
std::string text_at(const nlohmann::json& json, const char* pointer);

}  // namespace berth::kubeapi
