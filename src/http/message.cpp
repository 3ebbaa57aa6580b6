#include "http/message.h"

#include "berth/base/check.h"

namespace berth::http {
namespace {

struct Phrase {
  int status;
  std::string_view text;
};

constexpr Phrase kPhrases[] = {
    {200, "OK"},
    {201, "Created"},
    {202, "Accepted"},
    {204, "No Content"},
    {304, "Not Modified"},
    {308, "Permanent Redirect"},
    {400, "Bad Request"},
    {401, "Unauthorized"},
    {403, "Forbidden"},
    {404, "Not Found"},
    {405, "Method Not Allowed"},
    {408, "Request Timeout"},
    {409, "Conflict"},
    {411, "Length Required"},
    {413, "Payload Too Large"},
    {414, "URI Too Long"},
    {415, "Unsupported Media Type"},
    {417, "Expectation Failed"},
    {421, "Misdirected Request"},
    {422, "Unprocessable Entity"},
    {429, "Too Many Requests"},
    {431, "Request Header Fields Too Large"},
    {500, "Internal Server Error"},
    {502, "Bad Gateway"},
    {503, "Service Unavailable"},
    {504, "Gateway Timeout"},
};

}  // namespace

Response text_response(int status, std::string_view text) {
  return {status, "text/plain; charset=utf-8", std::string(text)};
}

std::string_view reason_phrase(int status) {
  for (const Phrase& phrase : kPhrases) {
    if (phrase.status == status) return phrase.text;
  }
  return "Unknown";
}

Responder& Responder::operator=(Responder&& other) noexcept {
  Responder previous(std::move(*this));
  exchange_ = std::move(other.exchange_);
  return *this;
}

Responder::~Responder() {
  if (exchange_) answer(text_response(500, "the request was dropped without an answer"));
}

void Responder::answer(Response response) {
  BERTH_CHECK(exchange_ != nullptr);
  std::exchange(exchange_, nullptr)->answer(std::move(response));
}

void Responder::on_disconnect(std::function<void()> callback) {
  BERTH_CHECK(exchange_ != nullptr);
  exchange_->on_disconnect(std::move(callback));
}

}  // namespace berth::http
