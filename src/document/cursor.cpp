#include "document/cursor.h"

#include <charconv>

#include "berth/base/printable.h"
#include "berth/base/text.h"

namespace berth::document {

namespace {

bool is_plain_name(std::string_view key) {
  return !key.empty() && key.find_first_of(".[]/ \"") == std::string_view::npos;
}

// Finds the path from `root` to `wanted` by address. It is built only for a complaint, so decoding
// a hundred thousand pods builds none.
bool find_path(const Value& root, const Value* wanted, std::string& path) {
  if (&root == wanted) return true;
  const std::size_t length = path.size();
  for (std::size_t i = 0; i < root.items.size(); ++i) {
    path += "[" + std::to_string(i) + "]";
    if (find_path(root.items[i], wanted, path)) return true;
    path.resize(length);
  }
  for (const Member& member : root.members) {
    if (is_plain_name(member.key)) {
      path += (path.empty() ? "" : ".") + member.key;
    } else {
      path += "[\"" + member.key + "\"]";
    }
    if (find_path(member.value, wanted, path)) return true;
    path.resize(length);
  }
  return false;
}

// A text of users may be as long as a request.
std::string cut(std::string text) {
  constexpr std::size_t kMost = 1000;
  if (text.size() <= kMost) return text;
  text.resize(first_bytes(text, kMost).size());
  text.shrink_to_fit();
  return text + "...";
}

std::string shown(const Value& value) {
  if (value.kind == Kind::list || value.kind == Kind::map || value.kind == Kind::null) {
    return name_of(value.kind);
  }
  constexpr std::size_t kShown = 80;
  return "\"" + shortened(value.text, kShown) + "\"";
}

}  // namespace

Cursor Reading::root() { return Cursor(*this, &root_, &root_); }

std::string Reading::place_of(const Value& at) const { return place(file_, at.position); }

void Reading::complain(const Value& at, const std::string& message) {
  if (!error_) error_ = error_at(at, message);
}

void Reading::warn(const Value& at, const std::string& message) {
  if (!is_lenient_) return complain(at, message);
  if (!warning_) warning_ = error_at(at, message);
}

Error Reading::error_at(const Value& at, const std::string& message) const {
  std::string path;
  find_path(root_, &at, path);
  return {cut(path.empty() ? message : path + ": " + message), place_of(at)};
}

void Reading::complain_at(Position position, const std::string& message) {
  if (!error_) error_ = Error{cut(message), place(file_, position)};
}

Error Reading::error_of_key(const Member& member, const std::string& message) const {
  return {error_at(member.value, message).message, place(file_, member.position)};
}

void Reading::complain_of_key(const Member& member, const std::string& message) {
  if (!error_) error_ = error_of_key(member, message);
}

void Cursor::complain(const std::string& message) const {
  reading_->complain(value_ != nullptr ? *value_ : *parent_, message);
}

void Cursor::warn(const std::string& message) const {
  reading_->warn(value_ != nullptr ? *value_ : *parent_, message);
}

bool Cursor::is(Kind kind) const {
  if (!is_present()) return false;
  if (value_->kind == kind) return true;
  std::string message = shown(*value_) + " is not " + name_of(kind) + ", expected ";
  message += name_of(kind);
  if (kind == Kind::string && (value_->kind == Kind::number || value_->kind == Kind::boolean)) {
    message += "; put it in quotes";
  }
  complain(message);
  return false;
}

Cursor Cursor::operator[](std::string_view key) const {
  if (!is(Kind::map)) return Cursor(*reading_, nullptr, value_ != nullptr ? value_ : parent_);
  return Cursor(*reading_, value_->find(key), value_);
}

std::string Cursor::text(std::string_view fallback) const {
  return std::string(is(Kind::string) ? std::string_view(value_->text) : fallback);
}

std::string Cursor::required_text(std::string_view key) const {
  const Cursor found = (*this)[key];
  std::string text = found.text();
  if (text.empty()) complain("`" + std::string(key) + "` is missing, expected a string");
  return text;
}

std::int64_t Cursor::integer(std::int64_t fallback, std::int64_t least, std::int64_t most) const {
  if (!is_present()) return fallback;
  const std::string& text = value_->text;
  std::int64_t number = 0;
  const auto end = text.data() + text.size();
  const auto read = std::from_chars(text.data(), end, number);
  const std::size_t sign = text.starts_with('-') ? 1 : 0;
  const bool is_octal_or_not = text.size() > sign + 1 && text[sign] == '0';  // 010: 8 or 10?
  const bool is_number = value_->kind == Kind::number && !is_octal_or_not &&
                         read.ec != std::errc::invalid_argument &&
                         (read.ec != std::errc{} || read.ptr == end);
  if (is_number && read.ec == std::errc{} && number >= least && number <= most) return number;
  complain(shown(*value_) + (is_number ? " is out of range" : " is not a whole number") +
           ", expected a whole number from " + std::to_string(least) + " to " +
           std::to_string(most));
  return fallback;
}

bool Cursor::boolean(bool fallback) const { return is(Kind::boolean) ? value_->truth : fallback; }

TimePoint Cursor::time(TimePoint fallback) const {
  if (!is(Kind::string)) return fallback;
  const Result<TimePoint> time = parse_time(value_->text);
  if (!time) complain(time.error().message);
  return time ? *time : fallback;
}

Duration Cursor::duration(Duration fallback) const {
  if (is_present() && value_->kind == Kind::number) {
    complain(shown(*value_) + " has no unit, expected a duration such as " + value_->text +
             "s or " + value_->text + "m");
    return fallback;
  }
  if (!is(Kind::string)) return fallback;
  const Result<Duration> duration = parse_duration(value_->text);
  if (!duration) complain(duration.error().message);
  return duration ? *duration : fallback;
}

std::string Cursor::scalar(std::string_view fallback) const {
  if (!is_present()) return std::string(fallback);
  if (value_->kind == Kind::number) return value_->text;
  return text(fallback);
}

std::vector<Cursor> Cursor::items() const {
  std::vector<Cursor> cursors;
  if (!is(Kind::list)) return cursors;
  cursors.reserve(value_->items.size());
  for (const Value& item : value_->items) cursors.emplace_back(*reading_, &item, value_);
  return cursors;
}

std::vector<Cursor::Entry> Cursor::entries() const {
  std::vector<Entry> entries;
  if (!is(Kind::map)) return entries;
  entries.reserve(value_->members.size());
  for (const Member& member : value_->members) {
    entries.emplace_back(member.key, Cursor(*reading_, &member.value, value_));
  }
  return entries;
}

}  // namespace berth::document
