#include "berth/base/printable.h"

namespace berth {

namespace {

constexpr char32_t kBroken = 0xFFFD;
constexpr std::string_view kBrokenText = "\xEF\xBF\xBD";

std::size_t length_of(unsigned char lead) {
  if (lead < 0x80) return 1;
  if (lead >= 0xC2 && lead < 0xE0) return 2;
  if (lead >= 0xE0 && lead < 0xF0) return 3;
  if (lead >= 0xF0 && lead < 0xF5) return 4;
  return 0;
}

// Some characters change the direction of text, so that a line could read differently; others end
// a line.
bool is_control(char32_t c) {
  const bool is_direction = c == 0x061C || c == 0x200E || c == 0x200F ||
                            (c >= 0x202A && c <= 0x202E) || (c >= 0x2066 && c <= 0x2069);
  return c < 0x20 || (c >= 0x7F && c < 0xA0) || c == 0x2028 || c == 0x2029 || is_direction;
}

// No shorter form has it, no surrogate, and not beyond Unicode.
bool is_right_for(std::size_t length, char32_t c) {
  if (length == 3) return c >= 0x800 && (c < 0xD800 || c > 0xDFFF);
  return length == 2 || (c >= 0x10000 && c <= 0x10FFFF);
}

}  // namespace

char32_t next_character(std::string_view text, std::size_t& at) {
  const auto lead = static_cast<unsigned char>(text[at]);
  const std::size_t length = length_of(lead);
  if (length == 0 || at + length > text.size()) return ++at, kBroken;
  if (length == 1) return ++at, lead;
  char32_t c = lead & (0xFFU >> (length + 1));
  for (std::size_t i = 1; i < length; ++i) {
    const auto byte = static_cast<unsigned char>(text[at + i]);
    if ((byte & 0xC0U) != 0x80U) return ++at, kBroken;
    c = (c << 6U) | (byte & 0x3FU);
  }
  if (!is_right_for(length, c)) return ++at, kBroken;
  at += length;
  return c;
}

std::string_view first_bytes(std::string_view text, std::size_t most) {
  if (text.size() <= most) return text;
  constexpr std::size_t kLongest = 4;  // bytes of a character
  std::size_t end = most;
  const auto is_inside = [&] { return (static_cast<unsigned char>(text[end]) & 0xC0U) == 0x80U; };
  while (end > 0 && most - end < kLongest && is_inside()) --end;
  return text.substr(0, end);
}

std::string shortened(std::string_view text, std::size_t most) {
  return std::string(first_bytes(text, most)) + (text.size() > most ? "..." : "");
}

// EVENT-8
std::string printable(std::string_view text) {
  std::string result;
  result.reserve(text.size());
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t start = at;
    const char32_t c = next_character(text, at);
    result += c == kBroken || is_control(c) ? kBrokenText : text.substr(start, at - start);
  }
  return result;
}

}  // namespace berth
