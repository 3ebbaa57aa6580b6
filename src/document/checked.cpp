#include "document/checked.h"

#include <arpa/inet.h>

#include <algorithm>

#include "berth/base/dns_name.h"
#include "berth/base/printable.h"
#include "berth/base/text.h"

namespace berth::document {

namespace {

constexpr std::size_t kShownMax = 80;

bool is_number(std::string_view text) {
  return !text.empty() && std::all_of(text.begin(), text.end(), is_digit);
}

// "v1", "v1beta1"
bool is_version(std::string_view text) {
  if (!text.starts_with('v')) return false;
  text.remove_prefix(1);
  for (const std::string_view stage : {"alpha", "beta"}) {
    const std::size_t at = text.find(stage);
    if (at == text.npos) continue;
    return is_number(text.substr(0, at)) && is_number(text.substr(at + stage.size()));
  }
  return is_number(text);
}

void refuse(const Cursor& at, const std::string& text, const char* expected) {
  at.complain("\"" + shortened(text, kShownMax) + "\" is no " + expected);
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

std::string resource_name(const Cursor& at) {
  std::string name = at.text();
  const std::size_t first = name.find('.');
  const std::size_t second = first == name.npos ? name.npos : name.find('.', first + 1);
  const bool has_three = second != name.npos;
  const std::string_view all = name;
  if (!has_three || !is_dns_label(all.substr(0, first)) ||
      !is_version(all.substr(first + 1, second - first - 1)) ||
      !is_dns_name(all.substr(second + 1))) {
    refuse(at, name, "resource, expected its name, version and API group, as in jobs.v1.batch");
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

}  // namespace berth::document
