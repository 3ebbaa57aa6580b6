#include "apiview/pod_watch.h"

#include <utility>

#include "apiview/pod_interceptor.h"
#include "proxy/answers.h"

namespace berth::apiview {

PodWatch::PodWatch(PodInterceptor& owner, PodsRequest request, proxy::Reply& reply,
                   podview::PodStream stream)
    : owner_(owner), request_(std::move(request)), reply_(reply), stream_(std::move(stream)) {
  owner_.begin(*this);
}

PodWatch::~PodWatch() { owner_.end(*this); }

void PodWatch::on_head(int status, proxy::Headers headers) {
  const bool is_stream = status == 200 && is_in_format(headers, request_.format);
  state_ = is_stream ? State::streaming : State::passing;
  if (auto refused = refused_version(request_, status)) {
    return proxy::send(*std::move(refused), reply_);
  }
  reply_.head(status, std::move(headers));
  if (state_ == State::streaming) follow();
}

void PodWatch::on_body(std::string_view bytes) {
  if (state_ == State::passing) return reply_.body(std::string(bytes));
  if (state_ != State::streaming) return;
  std::string out;
  const Status taken = stream_.take(bytes, out);
  write(std::move(out));
  if (stream_.has_deferred()) owner_.defer();
  if (stream_.has_failed()) return on_end();
  if (taken) return;
  owner_.complain("the view of pods ends a watch: " + taken.error().to_string());
  state_ = State::broken;
  reply_.abort();
}

void PodWatch::on_end() {
  if (state_ == State::streaming) state_ = State::ended;
  reply_.end();
}

// The client goes on from the last whole event that it has.
void PodWatch::on_failure(const std::string& why) {
  if (state_ == State::streaming) return on_end();
  if (state_ != State::waiting) return reply_.abort();
  state_ = State::passing;
  proxy::send(proxy::unreachable_answer(true, why), reply_);
}

void PodWatch::on_closed(bool is_delivered) {
  const bool is_known = state_ == State::ended || state_ == State::passing;
  if (is_delivered && is_known) owner_.keep(request_.client, std::move(stream_).end());
}

void PodWatch::follow() {
  if (state_ != State::streaming) return;
  std::string out;
  stream_.follow(owner_.parts().shown.load(), out);
  write(std::move(out));
  if (stream_.has_deferred()) owner_.defer();
}

void PodWatch::write(std::string bytes) {
  if (!bytes.empty()) reply_.body(std::move(bytes));
}

}  // namespace berth::apiview
