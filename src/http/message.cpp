#include "http/message.h"

#include "berth/base/check.h"

namespace berth::http {
Response text_response(int status, std::string_view text) {
  return {status, "text/plain; charset=utf-8", std::string(text)};
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
