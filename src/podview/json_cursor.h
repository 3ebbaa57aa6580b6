#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "berth/base/result.h"
#include "podview/codec.h"

namespace berth::podview {

// Walks JSON in place and finds where its parts are. A parser's tree or index of a list of all pods
// would be larger than the list. Values that nobody reads are passed over: only their strings and
// brackets must be sound. Every member returns false after the first fault, and keeps that fault.
class JsonCursor {
 public:
  explicit JsonCursor(std::string_view text) : text_(text) {}

  Error fault() const { return fault_.value_or(Error{"not valid JSON", ""}); }
  bool fail(std::string message);

  // The next character that is not blank, '\0' at the end.
  char peek();
  std::size_t place() const { return at_; }
  std::string_view since(std::size_t begin) const { return text_.substr(begin, at_ - begin); }

  // Calls on_member(key, where the key begins), which must pass the value. Null has no members.
  template <class OnMember>
  bool members(OnMember&& on_member) {
    if (peek() == 'n') return skip();
    if (peek() != '{') return fail("expected an object");
    ++at_;
    for (bool is_first = true; peek() != '}'; is_first = false) {
      std::string_view key;
      if (!is_first && !pass(',')) return false;
      peek();
      const std::size_t begin = at_;
      if (!raw_string(key) || !pass(':') || !on_member(key, begin)) return false;
    }
    return pass('}');
  }

  // Calls on_item(), which must pass the item. Null has no items.
  template <class OnItem>
  bool items(OnItem&& on_item) {
    if (peek() == 'n') return skip();
    if (peek() != '[') return fail("expected a list");
    ++at_;
    for (bool is_first = true; peek() != ']'; is_first = false) {
      if (!is_first && !pass(',')) return false;
      if (!on_item()) return false;
    }
    return pass(']');
  }

  bool skip();
  // Null leaves `out` empty.
  bool text(std::string& out);
  // Passes a value and keeps its place.
  bool skip(Span& span);
  template <class Read>
  bool read(Span& span, Read&& read_value) {
    peek();
    span.begin = at_;
    if (!read_value()) return false;
    span.end = at_;
    return true;
  }
  // Only blanks may follow.
  bool end() { return peek() == '\0' || fail("expected the end"); }

 private:
  bool pass(char mark);
  bool raw_string(std::string_view& out);
  bool scalar();

  std::string_view text_;
  std::size_t at_ = 0;
  std::optional<Error> fault_;
};

}  // namespace berth::podview
