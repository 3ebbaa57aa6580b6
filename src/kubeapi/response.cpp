#include "kubeapi/request.h"

#include <curl/curl.h>

#include <algorithm>
#include <array>
#include <memory>

#include "berth/base/check.h"
#include "berth/base/printable.h"
#include "berth/base/text.h"
#include "document/readers.h"
#include "kubeapi/answer.h"
#include "protobuf/objects.h"

namespace berth::kubeapi {

namespace {

constexpr std::size_t kShownMax = 300;

// The message of a Status object, or the first characters of the body.
std::string message_of(const std::string& body) {
  if (body.starts_with(protobuf::kMagic)) return protobuf::message_of_status(body);
  if (auto parsed = document::parse_json(body, "answer"); parsed) {
    const document::Value* message = parsed->find("message");
    if (message != nullptr && message->kind == document::Kind::string) return message->text;
  }
  if (!trimmed(body).starts_with('{')) return first_characters(body);
  return std::string(first_bytes(body, kShownMax));
}

}  // namespace

std::string_view media_type_of(Format format) {
  return format == Format::json ? "application/json" : "application/vnd.kubernetes.protobuf";
}

Request request_with(std::string method, std::string path, const char* content_type,
                     std::string body) {
  Request request;
  request.method = std::move(method);
  request.path = std::move(path);
  request.content_type = content_type;
  request.body = std::move(body);
  return request;
}

std::string Response::to_string() const {
  if (!error.empty()) return error;
  std::string text = "status " + std::to_string(status);
  if (!body.empty()) text += ": " + message_of(body);
  return text;
}

bool is_retryable(const Response& response) {
  constexpr std::array<int, 7> kAgain{0, 408, 429, 500, 502, 503, 504};
  for (const int status : kAgain) {
    if (response.status == status) return true;
  }
  return false;
}

bool needs_term(const Request& request) {
  return request.method != "GET" && !request.needs_no_term;
}

bool may_be_sent(const Request& request, const ports::Leadership* leadership) {
  return leadership == nullptr || !needs_term(request) || leadership->holds(request.epoch);
}

std::string url_encoded(std::string_view text) {
  constexpr std::size_t kPiece = 1 << 20;  // libcurl has a limit for the result
  std::string encoded;
  for (; !text.empty(); text.remove_prefix(std::min(kPiece, text.size()))) {
    const std::string_view piece = text.substr(0, kPiece);
    const std::unique_ptr<char, decltype(&curl_free)> escaped(
        curl_easy_escape(nullptr, piece.data(), static_cast<int>(piece.size())), &curl_free);
    BERTH_CHECK(escaped != nullptr);
    encoded += escaped.get();
  }
  return encoded;
}

std::string resource_path(std::string_view api_version, std::string_view plural) {
  const bool is_core = api_version.find('/') == std::string_view::npos;
  return std::string(is_core ? "/api/" : "/apis/").append(api_version).append("/").append(plural);
}

}  // namespace berth::kubeapi
