#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "berth/base/result.h"
#include "document/value.h"

// What the YAML and the JSON reader agree on below the level of values.

namespace berth::document {

// Turns byte offsets that do not decrease into positions, reading the text once.
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

// An Error if the bytes are not UTF-8 text (control characters count as binary).
std::optional<Error> check_text(std::string_view text, std::string_view file);

// Without the byte order mark that some editors write.
std::string_view without_mark(std::string_view text);

// The kind of a scalar that stands without quotes in YAML: the core schema of YAML 1.2. `yes`, `on`
// and dates are strings.
Kind kind_of_plain(std::string_view text);

// A number as JSON writes it.
bool is_json_number(std::string_view text);

// The second member of some key; null when all keys differ.
const Member* find_duplicate(const std::vector<Member>& members);

Error duplicate_key(std::string_view file, const Member& member);

}  // namespace berth::document
