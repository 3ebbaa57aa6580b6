#pragma once

#include <string>
#include <string_view>

// Small questions about JSON as text.

namespace berth::extender {

// Go matches keys so: without regard to the case of ASCII letters.
bool same_key(std::string_view key, std::string_view name);

// "a string", "an object": what a value that begins so would be; for messages.
const char* kind_of(std::string_view token);

// Follows JSON's grammar of numbers, whatever their size.
bool is_json_number(std::string_view text);

// Adds `text` as a JSON string.
void append_quoted(std::string& out, std::string_view text);

}  // namespace berth::extender
