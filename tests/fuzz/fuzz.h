#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "berth/base/check.h"
#include "berth/base/printable.h"
#include "berth/base/result.h"

// Each other file of this folder is a target of libFuzzer: a reader of bytes of others, and what
// must hold for any bytes. A BERTH_CHECK that fails is a finding.

namespace berth::fuzz {

inline std::string_view view_of(const std::uint8_t* bytes, std::size_t size) {
  return {reinterpret_cast<const char*>(bytes), size};
}

// The input cut at places that its own bytes decide: most pieces are short.
inline std::vector<std::string_view> pieces_of(std::string_view input) {
  std::vector<std::string_view> pieces;
  std::uint64_t state = 0xcbf29ce484222325U;  // FNV-1a
  for (const char c : input) state = (state ^ static_cast<unsigned char>(c)) * 0x100000001b3U;
  while (!input.empty()) {
    state = state * 6364136223846793005U + 1442695040888963407U;
    const std::size_t most = (state >> 60) == 0 ? 512 : 1 + (state >> 61);
    pieces.push_back(input.substr(0, 1 + (state >> 33) % most));
    input.remove_prefix(pieces.back().size());
  }
  return pieces;
}

inline bool is_utf8(std::string_view text) {
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t start = at;
    if (next_character(text, at) == 0xFFFD && at == start + 1) return false;
  }
  return true;
}

// A text for people: about the input, not much longer than it, and no character of it is torn.
inline void expect_readable(const Error& error, std::string_view input) {
  BERTH_CHECK(!error.message.empty());
  BERTH_CHECK(error.message.size() <= 2 * input.size() + 1'500);
  BERTH_CHECK(!is_utf8(input) || is_utf8(error.to_string()));
}

inline bool same_error(const Error& left, const Error& right) {
  return left.message == right.message && left.where == right.where;
}

}  // namespace berth::fuzz
