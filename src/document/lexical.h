#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "berth/base/result.h"
#include "document/value.h"

// Lexical rules that the YAML and the JSON reader share.

namespace berth::document {

// Turns rising byte offsets into positions. It reads the text once.
class PositionFinder {
 public:
  explicit PositionFinder(std::string_view text) : text_(text) {}
  Position at(std::size_t offset);

 private:
  std::string_view text_;
  std::size_t scanned_ = 0;  // newlines before this are counted
  std::size_t line_start_ = 0;
  std::int32_t line_ = 1;
};

bool is_utf8(std::string_view text);

// An Error if the bytes are not UTF-8 text (control characters count as binary).
std::optional<Error> check_text(std::string_view text, std::string_view file);

// The text without the byte order mark that some editors write.
std::string_view without_mark(std::string_view text);

// The kind of an unquoted YAML scalar, by the core schema of YAML 1.2: `yes`, `on` and dates are
// strings.
Kind kind_of_plain(std::string_view text);

// True for a number by the grammar of JSON.
bool is_json_number(std::string_view text);

// The second member with a repeated key; null if all keys differ.
const Member* find_duplicate(const std::vector<Member>& members);

Error duplicate_key(std::string_view file, const Member& member);

}  // namespace berth::document
