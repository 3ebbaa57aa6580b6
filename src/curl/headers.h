#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace berth::curl {

struct Header {
  std::string name;  // in lower case
  std::string value;
};
using Headers = std::vector<Header>;

// The value of the first header of that (lower case) name; empty without one.
std::string_view value_of(const Headers& headers, std::string_view name);

// Of lower case.
bool is_header_name(std::string_view name);
bool is_header_value(std::string_view value);

// One line of an HTTP/1 header, "Name: value\r\n", or nothing if it is none.
std::optional<Header> parse_header_line(std::string_view line);

}  // namespace berth::curl
