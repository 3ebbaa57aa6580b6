#include "results/table.h"

#include <algorithm>
#include <vector>

#include "berth/base/printable.h"
#include "berth/base/text.h"
#include "results/sections.h"

namespace berth::results {

namespace {

constexpr std::size_t kIndent = 2;      // of rows below a section's title
constexpr std::size_t kGap = 2;         // between columns
constexpr std::size_t kNameWidth = 24;  // or that of the values, if it is more
constexpr std::size_t kMostNameLines = 4;

// Counts each character as one column.
std::size_t width_of(std::string_view text) {
  std::size_t width = 0;
  for (std::size_t at = 0; at < text.size(); ++width) next_character(text, at);
  return width;
}

// The bytes of the first characters.
std::size_t bytes_of(std::string_view text, std::size_t width) {
  std::size_t at = 0;
  for (std::size_t taken = 0; taken < width && at < text.size(); ++taken) next_character(text, at);
  return at;
}

// Lines of at most this width, parted after blanks, commas and slashes where there are some.
std::vector<std::string> wrapped(std::string_view text, std::size_t width) {
  std::vector<std::string> lines;
  while (width_of(text) > width && lines.size() + 1 < kMostNameLines) {
    const std::size_t most = bytes_of(text, width);
    const std::size_t last = text.substr(0, most).find_last_of(" ,/;");
    const std::size_t end = last == std::string_view::npos || last == 0 ? most : last + 1;
    lines.emplace_back(trimmed(text.substr(0, end)));
    text = trimmed(text.substr(end));
  }
  if (width_of(text) > width) {
    lines.push_back(std::string(text.substr(0, bytes_of(text, width - 1))) + "…");
  } else {
    lines.emplace_back(text);
  }
  return lines;
}

std::string padding(std::string_view text, std::size_t width) {
  return std::string(width - std::min(width, width_of(text)), ' ');
}

struct Columns {
  std::size_t labels = 0;
  std::vector<std::size_t> values;              // of each run
  std::vector<std::vector<std::string>> names;  // in lines
};

Columns columns_of(std::span<const JudgedRun> runs, const std::vector<Section>& sections) {
  Columns columns;
  columns.values.resize(runs.size(), 1);
  for (const Section& section : sections) {
    for (const MeasureRow& row : section.rows) {
      columns.labels = std::max(columns.labels, kIndent + width_of(row.label));
      for (std::size_t i = 0; i < runs.size(); ++i) {
        columns.values[i] = std::max(columns.values[i], width_of(row.values[i]));
      }
    }
  }
  for (std::size_t i = 0; i < runs.size(); ++i) {
    columns.names.push_back(
        wrapped(printable(runs[i].result.name), std::max(columns.values[i], kNameWidth)));
    for (const std::string& line : columns.names.back()) {
      columns.values[i] = std::max(columns.values[i], width_of(line));
    }
  }
  return columns;
}

// As many as the width has room for; at least one.
std::size_t end_of_part(const Columns& columns, std::size_t begin, std::size_t width) {
  std::size_t taken = columns.labels;
  std::size_t end = begin;
  while (end < columns.values.size()) {
    taken += kGap + columns.values[end];
    if (width != 0 && taken > width && end > begin) break;
    ++end;
  }
  return end;
}

std::string heading(const std::string& line, bool is_bold) {
  return is_bold ? "\x1b[1m" + line + "\x1b[0m\n" : line + "\n";
}

std::string line_of(const std::string& label, std::span<const std::string> cells,
                    const Columns& columns, std::size_t begin, std::size_t end) {
  std::string line = label + padding(label, columns.labels);
  for (std::size_t i = begin; i < end; ++i) {
    line += std::string(kGap, ' ') + padding(cells[i], columns.values[i]) + cells[i];
  }
  line.erase(line.find_last_not_of(' ') + 1);
  return line;
}

// The names' last lines are the lowest.
std::string names_of(const Columns& columns, std::size_t begin, std::size_t end, bool is_bold) {
  std::size_t height = 0;
  for (std::size_t i = begin; i < end; ++i) height = std::max(height, columns.names[i].size());
  std::string text;
  std::vector<std::string> cells(columns.names.size());
  for (std::size_t rest = height; rest > 0; --rest) {
    for (std::size_t i = begin; i < end; ++i) {
      const std::vector<std::string>& lines = columns.names[i];
      cells[i] = rest <= lines.size() ? lines[lines.size() - rest] : "";
    }
    text += heading(line_of("", cells, columns, begin, end), is_bold);
  }
  return text;
}

}  // namespace

std::string table_text(std::span<const JudgedRun> runs, const TableStyle& style) {
  const std::vector<Section> sections = sections_of(runs);
  const Columns columns = columns_of(runs, sections);
  std::string text;
  for (std::size_t begin = 0; begin < runs.size();) {
    const std::size_t end = end_of_part(columns, begin, style.width);
    if (begin > 0) text += "\n";
    text += names_of(columns, begin, end, style.bold_headings);
    for (const Section& section : sections) {
      text += heading(section.title, style.bold_headings);
      for (const MeasureRow& row : section.rows) {
        text += line_of(std::string(kIndent, ' ') + row.label, row.values, columns, begin, end);
        text += "\n";
      }
    }
    begin = end;
  }
  return text;
}

}  // namespace berth::results
