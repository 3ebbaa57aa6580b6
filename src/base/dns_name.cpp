#include "berth/base/dns_name.h"

#include <cstddef>

namespace berth {

namespace {

constexpr std::size_t kLabelMax = 63;
constexpr std::size_t kNameMax = 253;

bool is_lower_alphanumeric(char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9'); }

}  // namespace

bool is_dns_label(std::string_view name) {
  return name.size() <= kLabelMax && name.find('.') == std::string_view::npos && is_dns_name(name);
}

bool is_dns_name(std::string_view name) {
  if (name.empty() || name.size() > kNameMax) return false;
  char last = '.';
  for (const char c : name) {
    const bool is_separator = c == '.' || c == '-';
    if (!is_separator && !is_lower_alphanumeric(c)) return false;
    if ((c == '.' && (last == '.' || last == '-')) || (c == '-' && last == '.')) return false;
    last = c;
  }
  return is_lower_alphanumeric(last);
}

}  // namespace berth
