#include "document/lexical.h"

#include <algorithm>
#include <array>
#include <cstring>

#include <simdjson.h>

#include "berth/base/text.h"

namespace berth::document {

namespace {

void skip_digits(std::string_view text, std::size_t& at) {
  while (at < text.size() && is_digit(text[at])) ++at;
}

bool all_of(std::string_view text, bool (*wanted)(char)) {
  return !text.empty() && std::all_of(text.begin(), text.end(), wanted);
}

bool is_octal(char c) { return c >= '0' && c <= '7'; }

bool is_hex(char c) { return is_digit(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F'); }

// [eE][-+]?[0-9]+ or nothing, up to the end.
bool ends_with_exponent(std::string_view text, std::size_t at) {
  if (at == text.size()) return true;
  if (text[at] != 'e' && text[at] != 'E') return false;
  ++at;
  if (at < text.size() && (text[at] == '-' || text[at] == '+')) ++at;
  const std::size_t first = at;
  skip_digits(text, at);
  return at > first && at == text.size();
}

bool is_yaml_number(std::string_view text) {
  if (text.starts_with("0o")) return all_of(text.substr(2), is_octal);
  if (text.starts_with("0x")) return all_of(text.substr(2), is_hex);
  if (text == ".nan" || text == ".NaN" || text == ".NAN") return true;
  std::size_t at = !text.empty() && (text[0] == '-' || text[0] == '+') ? 1 : 0;
  const std::string_view unsigned_text = text.substr(at);
  if (unsigned_text == ".inf" || unsigned_text == ".Inf" || unsigned_text == ".INF") return true;
  const std::size_t whole = at;
  skip_digits(text, at);
  std::size_t digits = at - whole;
  if (at < text.size() && text[at] == '.') {
    const std::size_t fraction = ++at;
    skip_digits(text, at);
    digits += at - fraction;
  }
  return digits > 0 && ends_with_exponent(text, at);
}

template <std::size_t N>
bool is_one_of(std::string_view text, const std::array<std::string_view, N>& words) {
  return std::find(words.begin(), words.end(), text) != words.end();
}

constexpr std::array<std::string_view, 5> kNulls{"", "~", "null", "Null", "NULL"};
constexpr std::array<std::string_view, 6> kBooleans{"true",  "True",  "TRUE",
                                                    "false", "False", "FALSE"};

bool is_binary(char c) {
  const auto byte = static_cast<unsigned char>(c);
  return byte < 0x20 && c != '\n' && c != '\r' && c != '\t';
}

// The first byte that cannot belong to UTF-8. The text must have one.
std::size_t first_bad_byte(std::string_view text) {
  const auto is_valid = [&](std::size_t length) {
    return simdjson::validate_utf8(text.data(), length);
  };
  std::size_t good = 0;  // this prefix is valid, except for a character cut in two
  std::size_t bad = text.size() + 4;
  while (bad - good > 1) {
    const std::size_t middle = good + (bad - good) / 2;
    bool valid = false;
    for (std::size_t cut = 0; cut < 4 && cut <= middle && !valid; ++cut) {
      valid = middle - cut <= text.size() && is_valid(middle - cut);
    }
    (valid ? good : bad) = middle;
  }
  while (good > 0 && (good > text.size() || !is_valid(good))) --good;
  return good;
}

}  // namespace

Position PositionFinder::at(std::size_t offset) {
  while (scanned_ < offset) {
    const void* found = std::memchr(text_.data() + scanned_, '\n', offset - scanned_);
    if (found == nullptr) {
      scanned_ = offset;
      break;
    }
    scanned_ = static_cast<std::size_t>(static_cast<const char*>(found) - text_.data()) + 1;
    line_start_ = scanned_;
    ++line_;
  }
  const std::size_t start = std::min(line_start_, offset);
  return {line_, static_cast<std::int32_t>(offset - start) + 1};
}

bool is_utf8(std::string_view text) { return simdjson::validate_utf8(text.data(), text.size()); }

std::optional<Error> check_text(std::string_view text, std::string_view file) {
  const auto binary = std::find_if(text.begin(), text.end(), is_binary);
  if (binary != text.end()) {
    const auto offset = static_cast<std::size_t>(binary - text.begin());
    return Error{"a control character, expected text in UTF-8",
                 place(file, PositionFinder(text).at(offset))};
  }
  if (!is_utf8(text)) {
    return Error{"a byte that is not UTF-8, expected text in UTF-8",
                 place(file, PositionFinder(text).at(first_bad_byte(text)))};
  }
  return std::nullopt;
}

std::string_view without_mark(std::string_view text) {
  if (text.starts_with("\xEF\xBB\xBF")) text.remove_prefix(3);
  return text;
}

Kind kind_of_plain(std::string_view text) {
  if (is_one_of(text, kNulls)) return Kind::null;
  if (is_one_of(text, kBooleans)) return Kind::boolean;
  return is_yaml_number(text) ? Kind::number : Kind::string;
}

bool is_json_number(std::string_view text) {
  std::size_t at = text.starts_with('-') ? 1 : 0;
  const std::size_t whole = at;
  skip_digits(text, at);
  if (at == whole || (text[whole] == '0' && at > whole + 1)) return false;
  if (at < text.size() && text[at] == '.') {
    const std::size_t fraction = ++at;
    skip_digits(text, at);
    if (at == fraction) return false;
  }
  return ends_with_exponent(text, at);
}

const Member* find_duplicate(const std::vector<Member>& members) {
  constexpr std::size_t kFew = 16;
  if (members.size() <= kFew) {
    for (std::size_t i = 1; i < members.size(); ++i) {
      for (std::size_t j = 0; j < i; ++j) {
        if (members[i].key == members[j].key) return &members[i];
      }
    }
    return nullptr;
  }
  std::vector<const Member*> sorted;
  for (const Member& member : members) sorted.push_back(&member);
  std::stable_sort(sorted.begin(), sorted.end(),
                   [](const Member* left, const Member* right) { return left->key < right->key; });
  const auto twice = std::adjacent_find(
      sorted.begin(), sorted.end(),
      [](const Member* left, const Member* right) { return left->key == right->key; });
  return twice == sorted.end() ? nullptr : *std::next(twice);
}

Error duplicate_key(std::string_view file, const Member& member) {
  return Error{"duplicate key \"" + member.key + "\", expected each key once",
               place(file, member.position)};
}

}  // namespace berth::document
