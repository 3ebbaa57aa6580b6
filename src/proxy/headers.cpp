#include "proxy/headers.h"

#include <algorithm>
#include <array>

#include "berth/base/number.h"
#include "curl/headers.h"
#include "proxy/query.h"

namespace berth::proxy {
namespace {

constexpr std::array<std::string_view, 7> kMethods{"GET",   "HEAD",   "POST",   "PUT",
                                                   "PATCH", "DELETE", "OPTIONS"};

// They belong to one connection, or the connection to upstream has its own.
constexpr std::array<std::string_view, 14> kOfConnection{
    "connection", "keep-alive",    "proxy-connection",    "proxy-authenticate",
    "te",         "trailer",       "proxy-authorization", "transfer-encoding",
    "upgrade",    "proxy-status",  "http2-settings",      "expect",
    "host",       "content-length"};

bool is_of_connection(std::string_view name) {
  return std::find(kOfConnection.begin(), kOfConnection.end(), name) != kOfConnection.end();
}

// '#' would end the target for a reader of URLs.
bool is_target(std::string_view target) {
  return target.starts_with('/') && std::all_of(target.begin(), target.end(), [](char c) {
           const auto byte = static_cast<unsigned char>(c);
           return byte > 0x20 && byte < 0x7f && c != '#' && c != '\\';
         });
}

bool is_path_byte(char c) {
  static constexpr std::string_view kMarks = "-._~:@+=,*";
  const bool is_letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
  return is_letter || (c >= '0' && c <= '9') || kMarks.find(c) != kMarks.npos;
}

// VIEW-16: an API server decodes escapes, and does not count slashes that are doubled or at the
// end. Its resources would have names here that nobody knows. No client of Kubernetes uses them.
bool is_normal_path(std::string_view path) {
  if (path == "/") return true;
  if (path.ends_with('/')) return false;
  path.remove_prefix(1);
  while (!path.empty()) {
    const std::string_view segment = next_part(path, '/');
    if (segment.empty() || segment == "." || segment == "..") return false;
    if (!std::all_of(segment.begin(), segment.end(), is_path_byte)) return false;
  }
  return true;
}

}  // namespace

HeaderBlock::HeaderBlock(std::size_t max_bytes, std::size_t max_count)
    : room_bytes_(max_bytes), room_count_(max_count) {}

void HeaderBlock::refuse(int status, std::string why) {
  if (refusal_.status == 0) refusal_ = {status, std::move(why)};
}

void HeaderBlock::add(std::string_view name, std::string_view value) {
  if (refusal_.status != 0) return;
  const std::size_t size = name.size() + value.size() + 32;  // as HTTP/2 counts a field
  if (room_count_ == 0 || size > room_bytes_) {
    refuse(431, "the header is too large; expected less");
    return;
  }
  --room_count_;
  room_bytes_ -= size;
  if (!curl::is_header_value(value)) {
    refuse(400, "a header's value has a control character");
  } else if (name.starts_with(':')) {
    add_pseudo(name, value);
  } else {
    add_regular(name, value);
  }
}

void HeaderBlock::add_pseudo(std::string_view name, std::string_view value) {
  if (name == ":method") {
    request_.method = value;
  } else if (name == ":path") {
    request_.target = value;
  } else if (name != ":scheme" && name != ":authority") {
    refuse(400, "unknown pseudo-header");
  }
}

void HeaderBlock::add_regular(std::string_view name, std::string_view value) {
  if (!curl::is_header_name(name)) {
    refuse(400, "malformed name of a header");
  } else if (name == "content-length") {
    const auto length = parse_number<std::size_t>(value);
    if (!length || content_length_) refuse(400, "content-length: expected one number");
    content_length_ = length;
  } else if (name == "connection" || name == "upgrade" || name == "transfer-encoding") {
    refuse(400, "the header \"" + std::string(name) + "\" does not exist in HTTP/2");
  } else if (!is_of_connection(name) && !name.starts_with("x-remote-")) {
    // X-Remote-* names a user to servers that trust the connection (VIEW-8).
    request_.headers.push_back({std::string(name), std::string(value)});
  }
}

Refusal HeaderBlock::finish(Request& into) {
  if (refusal_.status == 0) {
    if (std::find(kMethods.begin(), kMethods.end(), request_.method) == kMethods.end()) {
      refuse(405, "the method is not supported");
    } else if (!is_target(request_.target)) {
      refuse(400, "malformed target; expected a path and a query");
    } else if (std::string_view target = request_.target; !is_normal_path(next_part(target, '?'))) {
      refuse(400,
             "the path is not in its normal form; expected single slashes, none at the end, no "
             "escapes and no segments of dots");
    }
  }
  into = std::move(request_);
  return std::move(refusal_);
}

bool names_caller(const Header& header) {
  return header.name == "authorization" || header.name.starts_with("impersonate-");
}

bool passes_downstream(const Header& header) {
  return header.name == "content-length" || !is_of_connection(header.name);
}

}  // namespace berth::proxy
