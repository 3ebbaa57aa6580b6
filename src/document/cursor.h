#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "berth/base/clock.h"
#include "berth/base/result.h"
#include "document/value.h"

namespace berth::document {

class Cursor;

// How a value counts that is wrong but has a substitute.
enum class Strictness : std::uint8_t { strict, lenient };

// The decoding of one document. It keeps the first complaint. `root` and `file` must outlive it.
class Reading {
 public:
  Reading(const Value& root, std::string_view file, Strictness strictness = Strictness::strict)
      : root_(root), file_(file), is_lenient_(strictness == Strictness::lenient) {}
  Reading(const Reading&) = delete;
  Reading& operator=(const Reading&) = delete;

  Cursor root();
  bool failed() const { return error_.has_value(); }
  const Error& error() const { return *error_; }
  // The first warning; none in a strict reading.
  const std::optional<Error>& warning() const { return warning_; }

  // "<path of `at`>: message", at its place in the file. Later complaints are dropped.
  void complain(const Value& at, const std::string& message);
  // A complaint about a value that has a substitute. A lenient reading does not fail by it.
  void warn(const Value& at, const std::string& message);
  // A complaint about a place that holds no value, such as a key. `message` names the place.
  void complain_at(Position position, const std::string& message);
  std::string place_of(const Value& at) const;

  // An error about a member of a map: with the path of its value, and the place of its key.
  Error error_of_key(const Member& member, const std::string& message) const;
  void complain_of_key(const Member& member, const std::string& message);

 private:
  Error error_at(const Value& at, const std::string& message) const;

  const Value& root_;
  std::string_view file_;
  bool is_lenient_;
  std::optional<Error> error_;
  std::optional<Error> warning_;
};

// A place in a document; its value may be absent. Getters return the fallback if the value is
// absent or null. They complain if it has the wrong kind or is out of range. Decoders therefore
// read on, and ask Reading::failed() once at the end.
class Cursor {
 public:
  using Entry = std::pair<std::string_view, Cursor>;

  Cursor(Reading& reading, const Value* value, const Value* parent)
      : reading_(&reading), value_(value), parent_(parent) {}

  // The member of that name. Complains if this place holds a value that is no map.
  Cursor operator[](std::string_view key) const;
  bool is_present() const { return value_ != nullptr && value_->kind != Kind::null; }
  const Value* value() const { return value_; }

  std::string text(std::string_view fallback = {}) const;
  // A string that must exist and not be empty.
  std::string required_text(std::string_view key) const;
  std::int64_t integer(std::int64_t fallback, std::int64_t least, std::int64_t most) const;
  bool boolean(bool fallback) const;
  TimePoint time(TimePoint fallback = {}) const;
  Duration duration(Duration fallback) const;
  // A string or a number, as written; quantities are either.
  std::string scalar(std::string_view fallback = {}) const;

  std::vector<Cursor> items() const;   // none when absent
  std::vector<Entry> entries() const;  // in the order of the file

  // Complains about this place. If it is absent, the nearest place above it is named.
  void complain(const std::string& message) const;
  // The same for a value that has a substitute (Reading::warn).
  void warn(const std::string& message) const;

 private:
  bool is(Kind kind) const;

  Reading* reading_;
  const Value* value_;
  const Value* parent_;  // the nearest place above a missing value
};

}  // namespace berth::document
