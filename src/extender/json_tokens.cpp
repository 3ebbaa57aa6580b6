#include "extender/json_tokens.h"

namespace berth::extender {

const char* kind_of(std::string_view token) {
  if (token.empty()) return "nothing";
  switch (token.front()) {
    case '"':
      return "a string";
    case '{':
      return "an object";
    case '[':
      return "a list";
    case 't':
    case 'f':
      return "a boolean";
    case 'n':
      return "null";
    default:
      break;
  }
  const bool is_digit = token.front() == '-' || (token.front() >= '0' && token.front() <= '9');
  return is_digit ? "a number" : "no JSON value";
}

}  // namespace berth::extender
