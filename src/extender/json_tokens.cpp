#include "extender/json_tokens.h"

#include <algorithm>
#include <cctype>

namespace berth::extender {

bool same_key(std::string_view key, std::string_view name) {
  return key.size() == name.size() &&
         std::equal(key.begin(), key.end(), name.begin(), [](char left, char right) {
           return std::tolower(static_cast<unsigned char>(left)) ==
                  std::tolower(static_cast<unsigned char>(right));
         });
}

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

void append_quoted(std::string& out, std::string_view text) {
  static constexpr char kHex[] = "0123456789abcdef";
  out += '"';
  for (const char letter : text) {
    const auto code = static_cast<unsigned char>(letter);
    if (letter == '"' || letter == '\\') {
      out += '\\';
      out += letter;
    } else if (code < 0x20) {
      out += "\\u00";
      out += kHex[code >> 4];
      out += kHex[code & 15];
    } else {
      out += letter;
    }
  }
  out += '"';
}

}  // namespace berth::extender
