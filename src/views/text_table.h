#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace berth::views {

// The columns of UTF-8 text on a terminal: two for East Asian wide characters and emoji, none for
// combining marks.
std::size_t display_width(std::string_view text);

// The text with control characters and broken UTF-8 as U+FFFD, so that no manifest can control a
// terminal.
std::string printable(std::string_view text);

// Rows of cells under headings. Columns are as wide as their widest cell; the last is ragged.
class TextTable {
 public:
  explicit TextTable(std::vector<std::string> headings) : rows_{std::move(headings)} {}

  void add(std::vector<std::string> cells);  // one for each heading
  // Lines end in a line feed and have no trailing blanks. Headings may be bold on terminals.
  std::string render(bool bold_headings) const;

 private:
  std::vector<std::vector<std::string>> rows_;
};

}  // namespace berth::views
