#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

namespace berth::kubeapi {

// The string at a JSON pointer; empty when there is none, or something else.
std::string text_at(const nlohmann::json& json, const char* pointer);

}  // namespace berth::kubeapi
