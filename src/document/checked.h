#pragma once

#include <string>

#include "berth/base/clock.h"
#include "document/cursor.h"

// Getters of a Cursor that check more than the kind of a value. Each complains about a bad value
// and returns it all the same.

namespace berth::document {

// A range of durations, both ends included. It prints as "10ms to 1h".
struct DurationRange {
  Duration least{0};
  Duration most{0};
};
Duration duration_within(const Cursor& at, Duration fallback, const DurationRange& range);

// Names that the API server would accept. The caller decides about an empty name.
std::string dns_label(const Cursor& at, const std::string& fallback);      // of namespaces
std::string dns_subdomain(const Cursor& at, const std::string& fallback);  // of all else

// The resource that kubectl calls "jobs.v1.batch".
std::string resource_name(const Cursor& at);

// An address of IPv4 or IPv6, without brackets.
std::string ip_address(const Cursor& at, const std::string& fallback);

}  // namespace berth::document
