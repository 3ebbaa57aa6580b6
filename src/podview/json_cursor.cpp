#include "podview/json_cursor.h"

#include <utility>

#include <nlohmann/json.hpp>

namespace berth::podview {

namespace {

bool is_blank(char c) { return c == ' ' || c == '\n' || c == '\t' || c == '\r'; }

bool ends_scalar(char c) {
  return is_blank(c) || c == ',' || c == ':' || c == ']' || c == '}' || c == '"';
}

constexpr std::size_t kDepthMost = 100;

}  // namespace

bool JsonCursor::fail(std::string message) {
  if (!fault_) {
    fault_ = Error{"not valid JSON: " + std::move(message), "byte " + std::to_string(at_)};
  }
  return false;
}

char JsonCursor::peek() {
  while (at_ < text_.size() && is_blank(text_[at_])) ++at_;
  return at_ < text_.size() ? text_[at_] : '\0';
}

bool JsonCursor::pass(char mark) {
  if (peek() != mark) return fail(std::string("expected '") + mark + "'");
  ++at_;
  return true;
}

// A quote ends the string unless an odd number of backslashes stands before it.
bool JsonCursor::raw_string(std::string_view& out) {
  if (peek() != '"') return fail("expected a string");
  const std::size_t begin = at_ + 1;
  std::size_t quote = begin;
  while (true) {
    quote = text_.find('"', quote);
    if (quote == text_.npos) return fail("a string that never ends");
    std::size_t slashes = 0;
    while (quote - slashes > begin && text_[quote - slashes - 1] == '\\') ++slashes;
    if (slashes % 2 == 0) break;
    ++quote;
  }
  out = text_.substr(begin, quote - begin);
  at_ = quote + 1;
  return true;
}

bool JsonCursor::scalar() {
  std::size_t end = at_;
  while (end < text_.size() && !ends_scalar(text_[end])) ++end;
  if (end == at_) return fail("expected a value");
  at_ = end;
  return true;
}

bool JsonCursor::skip() {
  std::size_t depth = 0;
  std::string_view ignored;
  do {
    switch (peek()) {
      case '\0':
        return fail("a value that never ends");
      case '"':
        if (!raw_string(ignored)) return false;
        break;
      case '{':
      case '[':
        if (++depth > kDepthMost) return fail("nesting deeper than 100 levels");
        ++at_;
        break;
      case '}':
      case ']':
        if (depth == 0) return fail("expected a value");
        --depth;
        ++at_;
        break;
      case ',':
      case ':':
        if (depth == 0) return fail("expected a value");
        ++at_;
        break;
      default:
        if (!scalar()) return false;
    }
  } while (depth > 0);
  return true;
}

bool JsonCursor::skip(Span& span) {
  return read(span, [&] { return skip(); });
}

bool JsonCursor::text(std::string& out) {
  out.clear();
  if (peek() == 'n') return skip();
  const std::size_t begin = at_;
  std::string_view raw;
  if (!raw_string(raw)) return false;
  if (raw.find('\\') == raw.npos) {
    out = raw;
    return true;
  }
  const auto value = nlohmann::json::parse(since(begin), nullptr, false);
  const auto* text = value.get_ptr<const std::string*>();
  if (text == nullptr) return fail("a string with a bad escape");
  out = *text;
  return true;
}

}  // namespace berth::podview
