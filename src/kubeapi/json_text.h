#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>

// JSON of answers and requests. The library's own readers and writers throw, and these do not.

namespace berth::kubeapi {

// A discarded value, so neither object nor list, if the text is no JSON or has more than 100
// levels: the library copies and compares values by recursion.
nlohmann::json read_json(std::string_view text);

// The value at a JSON pointer of names; null, "" or 0 if there is none of this type.
const nlohmann::json& value_at(const nlohmann::json& json, const char* pointer);
std::string text_at(const nlohmann::json& json, const char* pointer);
std::int64_t integer_at(const nlohmann::json& json, const char* pointer);

// Bytes that are not UTF-8 become U+FFFD.
std::string json_text(const nlohmann::ordered_json& json);

}  // namespace berth::kubeapi
