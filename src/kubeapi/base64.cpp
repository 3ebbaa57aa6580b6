#include "kubeapi/base64.h"

#include <cstdint>

namespace berth::kubeapi {

namespace {

int digit_of(char c) {
  if (c >= 'A' && c <= 'Z') return c - 'A';
  if (c >= 'a' && c <= 'z') return c - 'a' + 26;
  if (c >= '0' && c <= '9') return c - '0' + 52;
  if (c == '+') return 62;
  return c == '/' ? 63 : -1;
}

bool is_blank(char c) { return c == ' ' || c == '\n' || c == '\r' || c == '\t'; }

}  // namespace

std::optional<std::string> decode_base64(std::string_view text) {
  std::string bytes;
  std::uint32_t bits = 0;
  int digits = 0;  // of the current group of four
  int padding = 0;
  for (const char c : text) {
    if (is_blank(c)) continue;
    const int digit = c == '=' ? 0 : digit_of(c);
    if (digit < 0 || (padding > 0 && c != '=')) return std::nullopt;
    if (c == '=' && (digits < 2 || ++padding > 2)) return std::nullopt;
    bits = bits << 6 | static_cast<std::uint32_t>(digit);
    if (++digits < 4) continue;
    for (int i = 0; i < 3 - padding; ++i) bytes += static_cast<char>(bits >> (16 - 8 * i) & 0xff);
    bits = 0;
    digits = 0;
  }
  if (digits != 0) return std::nullopt;
  return bytes;
}

}  // namespace berth::kubeapi
