#pragma once

#include <string_view>

namespace berth {

// DNS-1123. A label has at most 63 lower-case letters, digits and '-'. A subdomain has at most 253,
// and '.' too.
bool is_dns_label(std::string_view name);
bool is_dns_name(std::string_view name);

}  // namespace berth
