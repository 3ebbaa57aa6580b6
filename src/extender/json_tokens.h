#pragma once

#include <string>
#include <string_view>

// Questions about JSON as text.

namespace berth::extender {

// "a string", "an object": the kind of value that begins so, for messages.
const char* kind_of(std::string_view token);

}  // namespace berth::extender
