#include "traces/swf_header.h"

#include <algorithm>
#include <charconv>

#include "berth/base/printable.h"
#include "berth/base/text.h"

namespace berth::traces {

namespace {

constexpr std::size_t kSizeMost = 1'000'000;  // bytes in all; what comes later is left out
constexpr std::int64_t kNumberMost = 1'000'000'000;

bool is_of_key(char c) {
  return is_digit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c == '-';
}

}  // namespace

void SwfHeader::add(std::string_view comment) {
  comment = trimmed(comment);
  const std::size_t colon = comment.find(':');
  if (colon == std::string_view::npos || colon == 0) return;
  const std::string_view key = comment.substr(0, colon);
  const std::string_view rest = comment.substr(colon + 1);
  // "http://..." is no key.
  const bool has_blank =
      rest.empty() || rest.front() == ' ' || rest.front() == '\t' || is_digit(rest.front());
  if (!has_blank || !std::all_of(key.begin(), key.end(), is_of_key)) return;
  const std::string value = printable(trimmed(rest));
  size_ += key.size() + value.size() + 1;
  if (size_ > kSizeMost) return;
  const auto [at, is_new] = values_.try_emplace(std::string(key), value);
  if (!is_new) at->second.append("\n").append(value);
}

std::int64_t SwfHeader::number(const std::string& key) const {
  const auto found = values_.find(key);
  if (found == values_.end()) return 0;
  const char* end = found->second.data() + found->second.size();
  std::int64_t number = 0;
  std::from_chars(found->second.data(), end, number);
  return number < 0 || number > kNumberMost ? 0 : number;
}

}  // namespace berth::traces
