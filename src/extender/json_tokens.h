#pragma once

#include <string>
#include <string_view>

// Questions about JSON as text.

namespace berth::extender {

// Compares keys as Go does: the case of ASCII letters does not count.
bool same_key(std::string_view key, std::string_view name);

// "a string", "an object": the kind of value that begins so, for messages.
const char* kind_of(std::string_view token);

// Adds `text` as a JSON string.
void append_quoted(std::string& out, std::string_view text);

}  // namespace berth::extender
