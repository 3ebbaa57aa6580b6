#include "proxy/query.h"

#include <charconv>

#include "berth/base/text.h"

namespace berth::proxy {
namespace {

// None: not well formed.
std::optional<std::string> decoded(std::string_view text) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '%') {
      out += text[i] == '+' ? ' ' : text[i];
      continue;
    }
    unsigned char byte = 0;
    const char* const digits = text.data() + i + 1;
    if (text.size() - i < 3) return std::nullopt;
    if (std::from_chars(digits, digits + 2, byte, 16).ptr != digits + 2) return std::nullopt;
    out += static_cast<char>(byte);
    i += 2;
  }
  return out;
}

// None: Go leaves such a parameter out.
std::optional<std::string> value_if(std::string_view parameter, std::string_view name) {
  if (parameter.find(';') != parameter.npos) return std::nullopt;
  std::string_view value = parameter;
  const std::string_view key = next_part(value, '=');
  return decoded(key) == name ? decoded(value) : std::nullopt;
}

bool is_false(std::string_view value) { return value == "0" || is_same_word(value, "false"); }

}  // namespace

std::string_view next_part(std::string_view& left, char separator) {
  const std::size_t end = left.find(separator);
  const std::string_view part = left.substr(0, end);
  left.remove_prefix(end == left.npos ? left.size() : end + 1);
  return part;
}

std::optional<std::string> query_value(std::string_view target, std::string_view name) {
  next_part(target, '?');
  while (!target.empty()) {
    if (auto value = value_if(next_part(target, '&'), name)) return value;
  }
  return std::nullopt;
}

bool is_set(std::string_view target, std::string_view name) {
  const std::optional<std::string> value = query_value(target, name);
  return value && !is_false(*value);
}

bool is_watch(const Request& request) {
  return request.method == "GET" && is_set(request.target, "watch");
}

std::string with_query_value(std::string_view target, std::string_view name,
                             std::string_view value) {
  std::string out(next_part(target, '?'));
  char separator = '?';
  while (!target.empty()) {
    const std::string_view parameter = next_part(target, '&');
    out += separator;
    if (value_if(parameter, name)) {
      out.append(name).append("=").append(value);
    } else {
      out += parameter;
    }
    separator = '&';
  }
  return out;
}

}  // namespace berth::proxy
