#include "traces/lines.h"

#include <algorithm>
#include <cstring>

#include "document/lexical.h"

namespace berth::traces {

LineReader::LineReader(ByteSource& bytes, std::string_view file)
    : bytes_(bytes), file_(file), buffer_(2 * kLineMost) {}

Result<std::optional<Line>> LineReader::next() {
  if (drops_rest_) {
    if (const Status dropped = drop_rest_of_line(); !dropped) return dropped.error();
  }
  ++number_;
  while (true) {
    if (const auto end = find_end()) {
      const Line line = line_of(*end - next_);
      next_ = searched_ = *end + 1;
      return std::optional(line);
    }
    if (end_ - next_ > kLineMost) {
      drops_rest_ = true;
      return std::optional(line_of(end_ - next_));
    }
    if (has_ended_) break;
    if (const Status filled = fill(); !filled) return filled.error();
  }
  if (next_ == end_) return std::optional<Line>();
  const Line line = line_of(end_ - next_);
  next_ = end_;
  return std::optional(line);
}

// Where the line ends that begins at next_.
std::optional<std::size_t> LineReader::find_end() {
  const void* found = std::memchr(buffer_.data() + searched_, '\n', end_ - searched_);
  searched_ = end_;
  if (found == nullptr) return std::nullopt;
  return static_cast<std::size_t>(static_cast<const char*>(found) - buffer_.data());
}

// At most kLineMost bytes are there, so as many can be read.
Status LineReader::fill() {
  if (buffer_.size() - end_ < kLineMost / 2) {
    std::memmove(buffer_.data(), buffer_.data() + next_, end_ - next_);
    searched_ -= next_;
    end_ -= next_;
    next_ = 0;
  }
  const auto size = bytes_.read(std::span(buffer_).subspan(end_));
  if (!size) {
    return Error{size.error().message, size.error().where.empty() ? place() : size.error().where};
  }
  end_ += *size;
  has_ended_ = *size == 0;
  return Done{};
}

Status LineReader::drop_rest_of_line() {
  drops_rest_ = false;
  while (true) {
    next_ = searched_ = std::min(searched_, end_);
    if (const auto end = find_end()) {
      next_ = searched_ = *end + 1;
      return Done{};
    }
    next_ = end_;
    if (has_ended_) return Done{};
    if (const Status filled = fill(); !filled) return filled;
  }
}

Line LineReader::line_of(std::size_t size) {
  std::string_view text(buffer_.data() + next_, size);
  Line line;
  line.is_too_long = size > kLineMost;
  text = text.substr(0, kLineMost);
  if (number_ == 1) text = document::without_mark(text);
  line.text = trimmed(text);
  line.number = number_;
  return line;
}

}  // namespace berth::traces
