#include "berth/base/text.h"

#include <algorithm>
#include <cstddef>
#include <string>

namespace berth {

namespace {

constexpr std::size_t kLongestSlip = 64;  // longer names are not corrected; bounds the work

char lowered(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

// Edits (insert, delete, replace, swap of neighbours) from one word to the other, ignoring case.
std::size_t edit_distance(std::string_view left, std::string_view right) {
  const std::size_t width = right.size() + 1;
  std::vector<std::size_t> before_last(width), last(width), row(width);
  for (std::size_t j = 0; j < width; ++j) last[j] = j;
  for (std::size_t i = 1; i <= left.size(); ++i) {
    row[0] = i;
    for (std::size_t j = 1; j < width; ++j) {
      const bool same = lowered(left[i - 1]) == lowered(right[j - 1]);
      row[j] = std::min({last[j] + 1, row[j - 1] + 1, last[j - 1] + (same ? 0U : 1U)});
      if (i > 1 && j > 1 && lowered(left[i - 1]) == lowered(right[j - 2]) &&
          lowered(left[i - 2]) == lowered(right[j - 1])) {
        row[j] = std::min(row[j], before_last[j - 2] + 1);
      }
    }
    before_last.swap(last);
    last.swap(row);
  }
  return last[width - 1];
}

// The run of digits at `at`, without leading zeros. Moves `at` past it.
std::string_view number_at(std::string_view text, std::size_t& at) {
  while (at < text.size() && text[at] == '0') ++at;
  const std::size_t start = at;
  while (at < text.size() && is_digit(text[at])) ++at;
  return text.substr(start, at - start);
}

}  // namespace

std::optional<std::string> did_you_mean(std::string_view word,
                                        std::span<const std::string> candidates) {
  if (word.empty() || word.size() > kLongestSlip) return std::nullopt;
  const std::size_t allowed = std::min<std::size_t>(3, std::max<std::size_t>(1, word.size() / 3));
  std::optional<std::string> best;
  std::size_t best_distance = allowed + 1;
  for (const std::string& candidate : candidates) {
    if (candidate.size() > word.size() + allowed || candidate.size() + allowed < word.size()) {
      continue;
    }
    const std::size_t distance = edit_distance(word, candidate);
    if (distance < best_distance && distance < word.size()) {
      best = candidate;
      best_distance = distance;
    }
  }
  return best;
}

std::string suggestion(std::string_view word, std::span<const std::string> candidates) {
  if (const auto near = did_you_mean(word, candidates)) {
    return "; did you mean \"" + *near + "\"?";
  }
  if (candidates.empty()) return "";
  std::string text = "; expected one of: ";
  for (std::size_t i = 0; i < candidates.size(); ++i) {
    if (i > 0) text += ", ";
    text += candidates[i];
  }
  return text;
}

std::string first_names(std::span<const std::string> names) {
  constexpr std::size_t kShown = 8;
  if (names.empty()) return "none";
  std::string text;
  for (std::size_t i = 0; i < std::min(kShown, names.size()); ++i) {
    if (i > 0) text += ", ";
    text += names[i];
  }
  if (names.size() > kShown) text += " and " + std::to_string(names.size() - kShown) + " more";
  return text;
}

std::string count_text(std::size_t count, std::string_view noun) {
  return std::to_string(count) + " " + std::string(noun) + (count == 1 ? "" : "s");
}

std::string_view trimmed(std::string_view text) {
  constexpr std::string_view kBlanks = " \t\r\n\f\v";
  const std::size_t first = text.find_first_not_of(kBlanks);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(kBlanks) - first + 1);
}

std::string lowered(std::string_view text) {
  std::string result(text);
  for (char& c : result) c = lowered(c);
  return result;
}

bool is_same_word(std::string_view left, std::string_view right) {
  return std::equal(left.begin(), left.end(), right.begin(), right.end(),
                    [](char a, char b) { return lowered(a) == lowered(b); });
}

std::string json_string(std::string_view text) {
  std::string made;
  append_json_string(made, text);
  return made;
}

void append_json_string(std::string& to, std::string_view text) {
  static constexpr char kHex[] = "0123456789abcdef";
  to += '"';
  for (const char letter : text) {
    const auto code = static_cast<unsigned char>(letter);
    if (letter == '"' || letter == '\\') {
      to += '\\';
      to += letter;
    } else if (code < 0x20) {
      to += "\\u00";
      to += kHex[code >> 4];
      to += kHex[code & 15];
    } else {
      to += letter;
    }
  }
  to += '"';
}

std::vector<std::string> split_list(std::string_view text, char separator) {
  std::vector<std::string> parts;
  while (true) {
    const std::size_t end = text.find(separator);
    const std::string_view part = trimmed(text.substr(0, end));
    if (!part.empty()) parts.emplace_back(part);
    if (end == std::string_view::npos) return parts;
    text.remove_prefix(end + 1);
  }
}

int natural_compare(std::string_view left, std::string_view right) {
  std::size_t i = 0;
  std::size_t j = 0;
  while (i < left.size() && j < right.size()) {
    if (is_digit(left[i]) && is_digit(right[j])) {
      const std::string_view a = number_at(left, i);
      const std::string_view b = number_at(right, j);
      if (a.size() != b.size()) return a.size() < b.size() ? -1 : 1;
      if (const int order = a.compare(b); order != 0) return order < 0 ? -1 : 1;
      continue;
    }
    if (left[i] != right[j]) {
      return static_cast<unsigned char>(left[i]) < static_cast<unsigned char>(right[j]) ? -1 : 1;
    }
    ++i;
    ++j;
  }
  if (i < left.size() || j < right.size()) return i < left.size() ? 1 : -1;
  const int order = left.compare(right);  // "n01" and "n1" are the same number, but different names
  return order < 0 ? -1 : (order > 0 ? 1 : 0);
}

}  // namespace berth
