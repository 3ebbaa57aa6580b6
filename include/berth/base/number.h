#pragma once

#include <charconv>
#include <optional>
#include <string_view>

namespace berth {

// None unless the text as a whole is a number of this type: without a plus sign or blanks.
template <class Number>
std::optional<Number> parse_number(std::string_view text) {
  Number number{};
  const char* const end = text.data() + text.size();
  const auto read = std::from_chars(text.data(), end, number);
  return read.ec == std::errc{} && read.ptr == end ? std::optional(number) : std::nullopt;
}

}  // namespace berth
