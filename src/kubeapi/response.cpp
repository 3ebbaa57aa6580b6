#include "kubeapi/request.h"

#include <array>

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

bool is_plain(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' ||
         c == '.' || c == '_' || c == '~';
}

}  // namespace

std::string_view media_type_of(Format format) {
  return format == Format::json ? "application/json" : "application/vnd.kubernetes.protobuf";
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
  constexpr std::string_view kDigits = "0123456789ABCDEF";
  std::string encoded;
  encoded.reserve(text.size());
  for (const char c : text) {
    if (is_plain(c)) {
      encoded += c;
      continue;
    }
    const auto byte = static_cast<unsigned char>(c);
    encoded += '%';
    encoded += kDigits[byte >> 4];
    encoded += kDigits[byte & 15];
  }
  return encoded;
}

std::string resource_path(std::string_view api_version, std::string_view plural) {
  const bool is_core = api_version.find('/') == std::string_view::npos;
  return std::string(is_core ? "/api/" : "/apis/").append(api_version).append("/").append(plural);
}

}  // namespace berth::kubeapi
