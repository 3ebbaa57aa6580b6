#include "conf/checked.h"

#include <arpa/inet.h>

#include "berth/base/text.h"

namespace berth::conf {

namespace {

constexpr std::size_t kLabelMax = 63;
constexpr std::size_t kNameMax = 253;
constexpr std::size_t kShownMax = 80;

bool is_lower_alphanumeric(char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9'); }

void refuse(const Cursor& at, const std::string& text, const char* expected) {
  const bool is_long = text.size() > kShownMax;
  at.complain("\"" + text.substr(0, kShownMax) + (is_long ? "..." : "") + "\" is no " + expected);
}

}  // namespace

Duration duration_within(const Cursor& at, Duration fallback, const DurationRange& range) {
  const Duration duration = at.duration(fallback);
  const bool is_short = duration < range.least;
  if (is_short || duration > range.most) {
    at.complain(format_duration(duration) + " is too " + (is_short ? "short" : "long") +
                ", expected " + format_duration(range.least) + " to " +
                format_duration(range.most));
  }
  return duration;
}

std::string dns_label(const Cursor& at, const std::string& fallback) {
  std::string name = at.text(fallback);
  if (!name.empty() && !is_dns_label(name)) {
    refuse(at, name,
           "valid name, expected at most 63 lower-case letters, digits or '-', with a letter or "
           "digit at both ends");
  }
  return name;
}

std::string dns_subdomain(const Cursor& at, const std::string& fallback) {
  std::string name = at.text(fallback);
  if (!name.empty() && !is_dns_name(name)) {
    refuse(at, name,
           "valid name, expected at most 253 lower-case letters, digits, '-' or '.', with a letter "
           "or digit at both ends");
  }
  return name;
}

std::string ip_address(const Cursor& at, const std::string& fallback) {
  std::string address = at.text(fallback);
  unsigned char bytes[16];
  if (inet_pton(AF_INET, address.c_str(), bytes) != 1 &&
      inet_pton(AF_INET6, address.c_str(), bytes) != 1) {
    refuse(at, address, "IP address, expected one such as 127.0.0.1, 0.0.0.0 or ::");
  }
  return address;
}

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

}  // namespace berth::conf
