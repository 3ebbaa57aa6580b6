#include "apiview/pod_list_exchange.h"

#include <utility>

#include "apiview/pod_interceptor.h"
#include "podview/pod_list.h"
#include "proxy/answers.h"

namespace berth::apiview {

namespace {

// A list of this size gets the room of the largest one at once. Room that is not written takes no
// memory. A string that grows step by step is copied at each step, and is there twice meanwhile.
constexpr std::size_t kLarge = 16 << 20;

// Copies of shown pods are a little longer than the pods.
std::size_t room_for(std::size_t most) { return most + most / 16; }

}  // namespace

void append_to_list(std::string_view bytes, std::size_t most, std::string& body) {
  if (body.size() + bytes.size() > kLarge) body.reserve(room_for(most));
  body.append(bytes);
}

PodListExchange::PodListExchange(PodInterceptor& owner, PodsRequest request, proxy::Reply& reply,
                                 podview::Memory memory)
    : owner_(owner), request_(std::move(request)), reply_(reply), memory_(std::move(memory)) {
  owner_.begin(*this);
}

PodListExchange::~PodListExchange() {
  owner_.end(*this);
  owner_.release_list_bytes(taken_);
}

void PodListExchange::on_head(int status, proxy::Headers headers) {
  if (auto refused = refused_version(request_, status)) {
    is_refused_ = true;
    owner_.ask_without_version(request_.client);
    return proxy::send(*std::move(refused), reply_);
  }
  is_passing_ = status != 200 || !is_in_format(headers);
  if (is_passing_) return reply_.head(status, std::move(headers));
  std::erase_if(headers, [](const auto& each) { return each.name == "content-length"; });
  headers_ = std::move(headers);
}

void PodListExchange::on_body(std::string_view bytes) {
  if (is_passing_) return reply_.body(std::string(bytes));
  if (is_refused_) return;
  const std::size_t most = owner_.parts().list_most;
  if (!owner_.take_list_bytes(bytes.size())) {
    return refuse("lists of pods are too large, expected at most " + std::to_string(most) +
                  " bytes in all at once");
  }
  taken_ += bytes.size();
  append_to_list(bytes, most, body_);
}

void PodListExchange::on_end() {
  if (is_passing_) return reply_.end();
  if (is_refused_) return;
  auto filtered =
      podview::filter_list(std::move(body_), owner_.parts().schedulers,
                           *owner_.parts().shown.load(), owner_.parts().attempts, memory_);
  if (!filtered) return refuse(filtered.error().to_string());
  proxy::send({200, std::move(headers_), std::move(*filtered)}, reply_);
}

void PodListExchange::on_failure(const std::string& why) {
  if (is_passing_) return reply_.abort();
  if (!is_refused_) refuse(why);
}

void PodListExchange::on_closed(bool is_delivered) {
  if (is_delivered) owner_.keep(request_.client, std::move(memory_));
}

void PodListExchange::refuse(const std::string& why) {
  is_refused_ = true;
  body_ = {};
  owner_.complain("the view of pods refuses a list: " + why);
  proxy::send(proxy::status_answer(502, why), reply_);
}

}  // namespace berth::apiview
