#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace berth::views {

// Columns that a terminal takes for UTF-8 text: two for East Asian wide characters and emoji, none
// for marks that combine with what is before them.
std::size_t display_width(std::string_view text);

// The text with control characters and broken UTF-8 made visible as U+FFFD: nothing from a manifest
// may steer a terminal.
std::string printable(std::string_view text);

// Rows of cells under headings, columns as wide as their widest cell; the last is left ragged.
class TextTable {
 public:
  explicit TextTable(std::vector<std::string> headings) : rows_{std::move(headings)} {}

  void add(std::vector<std::string> cells);  // as many as there are headings
  // Lines end in a line feed and in no blanks. Headings are bold on terminals that are asked to.
  std::string render(bool bold_headings) const;

 private:
  std::vector<std::vector<std::string>> rows_;
};

}  // namespace berth::views
