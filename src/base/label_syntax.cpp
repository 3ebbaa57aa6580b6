#include "berth/base/label_syntax.h"

#include <algorithm>
#include <cstddef>

#include "berth/base/dns_name.h"

namespace berth {

namespace {

constexpr std::size_t kLabelNameMax = 63;

bool is_alphanumeric(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
}

bool is_name_character(char c) { return is_alphanumeric(c) || c == '-' || c == '_' || c == '.'; }

bool is_name(std::string_view text) {
  return !text.empty() && text.size() <= kLabelNameMax && is_alphanumeric(text.front()) &&
         is_alphanumeric(text.back()) && std::all_of(text.begin(), text.end(), &is_name_character);
}

}  // namespace

bool is_label_key(std::string_view text) {
  const std::size_t slash = text.find('/');
  if (slash == text.npos) return is_name(text);
  return is_dns_name(text.substr(0, slash)) && is_name(text.substr(slash + 1));
}

bool is_label_value(std::string_view text) { return text.empty() || is_name(text); }

}  // namespace berth
