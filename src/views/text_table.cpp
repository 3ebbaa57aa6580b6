#include "views/text_table.h"

#include <algorithm>
#include <array>

#include "berth/base/check.h"
#include "berth/base/printable.h"

namespace berth::views {

namespace {

struct Range {
  char32_t first;
  char32_t last;
};

// East Asian Width W and F, in blocks; sorted.
constexpr std::array<Range, 12> kWide{{{0x1100, 0x115F},
                                       {0x2E80, 0x303E},
                                       {0x3041, 0x33FF},
                                       {0x3400, 0x4DBF},
                                       {0x4E00, 0x9FFF},
                                       {0xA000, 0xA4CF},
                                       {0xAC00, 0xD7A3},
                                       {0xF900, 0xFAFF},
                                       {0xFE30, 0xFE6F},
                                       {0xFF00, 0xFF60},
                                       {0x1F300, 0x1FAFF},
                                       {0x20000, 0x3FFFD}}};

constexpr std::array<Range, 6> kNoWidth{{{0x0300, 0x036F},
                                         {0x1AB0, 0x1AFF},
                                         {0x200B, 0x200F},
                                         {0x20D0, 0x20FF},
                                         {0xFE00, 0xFE0F},
                                         {0xFE20, 0xFE2F}}};

template <std::size_t Size>
bool is_in(char32_t c, const std::array<Range, Size>& ranges) {
  return std::any_of(ranges.begin(), ranges.end(),
                     [c](const Range& range) { return c >= range.first && c <= range.last; });
}

}  // namespace

std::size_t display_width(std::string_view text) {
  std::size_t width = 0;
  for (std::size_t at = 0; at < text.size();) {
    const char32_t c = next_character(text, at);
    if (is_in(c, kNoWidth)) continue;
    width += is_in(c, kWide) ? 2 : 1;
  }
  return width;
}

void TextTable::add(std::vector<std::string> cells) {
  BERTH_CHECK(cells.size() == rows_.front().size());
  for (std::string& cell : cells) cell = printable(cell);
  rows_.push_back(std::move(cells));
}

std::string cut_to(std::string_view text, std::size_t width) {
  if (display_width(text) <= width) return std::string(text);
  std::string kept;
  std::size_t taken = 1;  // the sign of the cut
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t start = at;
    next_character(text, at);
    const std::string_view one = text.substr(start, at - start);
    taken += display_width(one);
    if (taken > width) break;
    kept += one;
  }
  while (kept.ends_with(' ')) kept.pop_back();
  return kept + "…";
}

std::vector<std::string> TextTable::lines_of(const std::string& cell, std::size_t column,
                                             std::size_t width) const {
  constexpr std::size_t kLeast = 24;
  if (width == 0) return {cell};
  const std::size_t room = std::max(width > column ? width - column : 0, kLeast);
  if (last_ == Last::cut) return {cut_to(cell, room)};
  std::vector<std::string> lines(1);
  for (std::size_t at = 0; at < cell.size();) {
    const std::size_t end = std::min(cell.find(' ', at), cell.size());
    const std::string word = cell.substr(at, end - at);
    at = end + 1;
    if (!lines.back().empty() && display_width(lines.back()) + 1 + display_width(word) > room) {
      lines.emplace_back();
    }
    lines.back() += (lines.back().empty() ? "" : " ") + word;
  }
  return lines;
}

std::string TextTable::render(const TextStyle& style) const {
  std::vector<std::size_t> widths(rows_.front().size(), 0);
  for (const auto& row : rows_) {
    for (std::size_t i = 0; i < row.size(); ++i) {
      widths[i] = std::max(widths[i], display_width(row[i]));
    }
  }
  std::string text;
  for (const auto& row : rows_) {
    std::string line;
    std::size_t column = 0;
    for (std::size_t i = 0; i + 1 < row.size(); ++i) {
      line += row[i];
      line.append(widths[i] - display_width(row[i]) + 2, ' ');
      column += widths[i] + 2;
    }
    const std::vector<std::string> last = lines_of(row.back(), column, style.width);
    line += last.front();
    line.erase(line.find_last_not_of(' ') + 1);
    const bool is_bold = style.bold_headings && &row == &rows_.front();
    text += is_bold ? "\x1b[1m" + line + "\x1b[0m\n" : line + "\n";
    for (std::size_t i = 1; i < last.size(); ++i) text += std::string(column, ' ') + last[i] + "\n";
  }
  return text;
}

}  // namespace berth::views
