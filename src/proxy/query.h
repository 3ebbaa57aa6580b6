#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "proxy/exchange.h"

namespace berth::proxy {

// Takes the next part, up to the separator.
std::string_view next_part(std::string_view& left, char separator);

// The query of a target, as an API server reads it.

// The first value of that parameter, decoded; none if it is not there.
std::optional<std::string> query_value(std::string_view target, std::string_view name);

// True if the parameter is there, unless its value is "0" or "false". "?watch" is true.
bool is_set(std::string_view target, std::string_view name);

// A watch, by its parameter.
bool is_watch(const Request& request);

// The target with another value of all parameters of that name.
std::string with_query_value(std::string_view target, std::string_view name,
                             std::string_view value);

}  // namespace berth::proxy
