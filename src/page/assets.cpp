#include "page/assets.h"

namespace berth::page {

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
    return response;
  }
  if (request.accept_encoding.find("gzip") != std::string::npos) {
    response.body = asset.compressed;
    response.headers.emplace_back("Content-Encoding", "gzip");
  } else {
    response.body = asset.bytes;
  }
  return response;
}

}  // namespace berth::page
