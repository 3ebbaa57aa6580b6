#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "berth/base/result.h"
#include "berth/base/text.h"
#include "traces/bytes.h"
#include "traces/trace.h"

namespace berth::traces {

inline constexpr std::size_t kLineMost = 64UL * 1024;  // bytes, without "\n"

struct Line {
  std::string_view text;    // without its end, without blanks around it; until the next one is read
  std::int64_t number = 0;  // from 1
  bool is_too_long = false;  // then `text` is its start
};

// The lines of a source, in a buffer that does not grow. `bytes` and `file` must outlive it.
class LineReader {
 public:
  LineReader(ByteSource& bytes, std::string_view file);

  // The next line; nothing at the end.
  Result<std::optional<Line>> next();
  // "file:line" of the line that was read last.
  std::string place() const { return std::string(file_) + ":" + std::to_string(number_); }

 private:
  Status fill();
  std::optional<std::size_t> find_end();
  Status drop_rest_of_line();
  Line line_of(std::size_t size);

  ByteSource& bytes_;
  std::string_view file_;
  std::vector<char> buffer_;  // bytes from next_ to end_ are not used yet
  std::size_t next_ = 0;
  std::size_t end_ = 0;
  std::size_t searched_ = 0;  // up to here, no line ends
  bool has_ended_ = false;
  bool drops_rest_ = false;  // the rest of a line that is too long comes next
  std::int64_t number_ = 0;
};

// TRACE-2, TRACE-3, TRACE-4: an item of each line that has one. `of_line` returns an item, nothing,
// or an Error about the line, without its place.
template <class Item, class OfLine>
Result<std::vector<Item>> read_items(LineReader& lines, const ReadOptions& options,
                                     Skipped& skipped, OfLine of_line) {
  std::vector<Item> items;
  while (items.size() < options.most) {
    const auto line = lines.next();
    if (!line) return line.error();
    if (!*line) break;
    if ((*line)->text.empty()) continue;
    Result<std::optional<Item>> item =
        (*line)->is_too_long
            ? Error{"more than " + std::to_string(kLineMost) + " bytes, expected a shorter line",
                    ""}
            : of_line((*line)->text);
    if (!item) {
      const Error error{item.error().message, lines.place()};
      if (!options.skip_bad_lines) return error;
      ++skipped.bad;
      if (skipped.first.size() < kSkippedShown) skipped.first.push_back(error);
      continue;
    }
    if (!*item) continue;
    if (items.size() == kJobsMost) {
      return Error{"more than " + std::to_string(kJobsMost) + " items, expected fewer",
                   lines.place()};
    }
    items.push_back(std::move(**item));
  }
  return items;
}

}  // namespace berth::traces
