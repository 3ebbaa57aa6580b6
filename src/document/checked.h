#pragma once

#include <string>
#include <string_view>

#include "berth/base/clock.h"
#include "document/cursor.h"

// Getters of a Cursor that want more than a kind. Each complains, with what was expected, and
// then returns what was there.

namespace berth::document {

// "10ms to 1h" in words of docs/configuration.md. Both ends are allowed.
struct DurationRange {
  Duration least{0};
  Duration most{0};
};
Duration duration_within(const Cursor& at, Duration fallback, const DurationRange& range);

// Names as the API server would accept them. Empty ones are left to the caller.
std::string dns_label(const Cursor& at, const std::string& fallback);      // of namespaces
std::string dns_subdomain(const Cursor& at, const std::string& fallback);  // of all else

// A kind of objects as kubectl takes it: "jobs.v1.batch".
std::string resource_name(const Cursor& at);

// Of IPv4 or IPv6, without brackets.
std::string ip_address(const Cursor& at, const std::string& fallback);

// DNS-1123: at most 63 lower-case letters, digits and '-'; at most 253, and '.', too.
bool is_dns_label(std::string_view name);
bool is_dns_name(std::string_view name);

}  // namespace berth::document
