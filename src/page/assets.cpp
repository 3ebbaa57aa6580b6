#include "page/assets.h"

namespace berth::page {

namespace {

constexpr const char* kPolicy =
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; "
    "img-src 'self' data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";
constexpr std::pair<const char*, const char*> kHeaders[] = {
    {"Content-Security-Policy", kPolicy},
    {"X-Content-Type-Options", "nosniff"},
    {"X-Frame-Options", "DENY"},
    {"Referrer-Policy", "no-referrer"},
    {"Cross-Origin-Opener-Policy", "same-origin"},
    {"Cross-Origin-Resource-Policy", "same-origin"},
};

}  // namespace

http::Response protected_by_headers(http::Response response) {
  for (const auto& [name, value] : kHeaders) response.headers.emplace_back(name, value);
  return response;
}

http::Response answer_of(const Asset& asset, const http::Request& request) {
  const bool is_fixed = request.query == asset.hash;
  const std::string tag = "\"" + std::string(asset.hash) + "\"";
  http::Response response{200, std::string(asset.type)};
  response.headers = {
      {"ETag", tag},
      {"Vary", "Accept-Encoding"},
      {"Cache-Control", is_fixed ? "private, max-age=31536000, immutable" : "private, no-cache"}};
  if (request.if_none_match.find(tag) != std::string::npos) {
    response.status = 304;
    response.content_type.clear();
    return protected_by_headers(std::move(response));
  }
  if (request.accept_encoding.find("gzip") != std::string::npos) {
    response.body = asset.compressed;
    response.headers.emplace_back("Content-Encoding", "gzip");
  } else {
    response.body = asset.bytes;
  }
  return protected_by_headers(std::move(response));
}

}  // namespace berth::page
