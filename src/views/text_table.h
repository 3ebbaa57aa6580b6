#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace berth::views {

// The columns of UTF-8 text on a terminal: two for East Asian wide characters and emoji, none for
// combining marks.
std::size_t display_width(std::string_view text);

// The way a table is printed.
struct TextStyle {
  bool bold_headings = false;  // with terminal control sequences
  std::size_t width = 0;       // of the terminal, in columns; 0: any
};

// The text in at most `width` columns; a longer one ends in "…".
std::string cut_to(std::string_view text, std::size_t width);

// Rows of cells under headings. Columns are as wide as their widest cell; the last is ragged. With
// a width, the last is wrapped between words, or cut.
class TextTable {
 public:
  enum class Last : std::uint8_t { wrapped, cut };

  explicit TextTable(std::vector<std::string> headings, Last last = Last::wrapped)
      : rows_{std::move(headings)}, last_(last) {}

  void add(std::vector<std::string> cells);  // one for each heading
  // Lines end in a line feed and have no trailing blanks.
  std::string render(const TextStyle& style) const;

 private:
  // The lines of a last cell that begins at this column.
  std::vector<std::string> lines_of(const std::string& cell, std::size_t column,
                                    std::size_t width) const;

  std::vector<std::vector<std::string>> rows_;
  Last last_;
};

}  // namespace berth::views
