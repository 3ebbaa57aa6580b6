#include "curl/headers.h"

#include <algorithm>

#include "berth/base/text.h"

namespace berth::curl {

namespace {

bool is_token_byte(char c) {
  static constexpr std::string_view kMarks = "!#$%&'*+-.^_`|~";
  return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || kMarks.find(c) != kMarks.npos;
}

}  // namespace

std::string_view value_of(const Headers& headers, std::string_view name) {
  for (const Header& header : headers) {
    if (header.name == name) return header.value;
  }
  return {};
}

bool is_header_name(std::string_view name) {
  return !name.empty() && std::all_of(name.begin(), name.end(), is_token_byte);
}

bool is_header_value(std::string_view value) {
  return std::all_of(value.begin(), value.end(), [](char c) {
    const auto byte = static_cast<unsigned char>(c);
    return byte == '\t' || (byte >= 0x20 && byte != 0x7f);
  });
}

std::optional<Header> parse_header_line(std::string_view line) {
  const std::size_t colon = line.find(':');
  if (colon == std::string_view::npos) return std::nullopt;
  Header header{lowered(line.substr(0, colon)), std::string(trimmed(line.substr(colon + 1)))};
  if (!is_header_name(header.name) || !is_header_value(header.value)) return std::nullopt;
  return header;
}

}  // namespace berth::curl
