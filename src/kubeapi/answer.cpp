#include "kubeapi/answer.h"

#include <algorithm>

#include "berth/base/number.h"
#include "berth/base/printable.h"
#include "berth/base/text.h"

namespace berth::kubeapi {

namespace {

constexpr std::size_t kCharactersShown = 80;

}  // namespace

std::optional<Duration> retry_after(std::string_view text) {
  const std::optional<unsigned> seconds = parse_number<unsigned>(text);
  if (!seconds) return std::nullopt;
  return std::chrono::seconds(std::min(*seconds, 3600U));
}

std::string media_type(std::string_view content_type) {
  return lowered(trimmed(content_type.substr(0, content_type.find(';'))));
}

// API-20
bool is_foreign(const AnswerHead& head, Format expected) {
  const std::string type = media_type(head.content_type);
  const bool is_success = head.status >= 200 && head.status < 300 && head.status != 204;
  if (!is_success) return false;
  if (expected == Format::protobuf) return type != media_type_of(expected);
  return !type.empty() && type != media_type_of(expected) && !type.ends_with("+json");
}

std::string not_expected(Format expected, std::string_view content_type, std::string_view body) {
  const std::string type = media_type(content_type);
  return std::string("expected ") + (expected == Format::json ? "JSON" : "protobuf") + ", got " +
         (type.empty() ? "something else" : type) +
         (trimmed(body).empty() ? " without a body" : " that begins " + first_characters(body));
}

std::string first_characters(std::string_view text) {
  text = trimmed(text);
  std::string shown = shortened(text, kCharactersShown);
  for (char& c : shown) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte < 0x20 || byte == 0x7F) c = ' ';
  }
  return "\"" + shown + "\"";
}

}  // namespace berth::kubeapi
