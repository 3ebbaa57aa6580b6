#include "apiview/pod_watch.h"

#include <utility>

#include "apiview/pod_interceptor.h"
#include "podview/pod_window.h"
#include "proxy/answers.h"

namespace berth::apiview {

PodWatch::PodWatch(PodInterceptor& owner, PodsRequest request, proxy::Reply& reply,
                   podview::PodStream stream)
    : owner_(owner), request_(std::move(request)), reply_(reply), stream_(std::move(stream)) {
  owner_.begin(*this);
}

PodWatch::~PodWatch() { owner_.end(*this); }

void PodWatch::on_head(int status, proxy::Headers headers) {
  const bool is_stream = status == 200 && is_in_format(headers);
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
  take(taken, std::move(out));
  read_window();
}

void PodWatch::take(const Status& taken, std::string out) {
  write(std::move(out));
  if (stream_.has_deferred()) owner_.defer();
  if (stream_.has_failed()) return on_end();
  if (taken) return;
  owner_.complain("the view of pods ends a watch: " + taken.error().to_string());
  state_ = State::broken;
  reply_.abort();
}

void PodWatch::begin_in_window() {
  state_ = State::streaming;
  join_window();
  if (!place_) {
    state_ = State::waiting;
    return;
  }
  reply_.head(200, {{"content-type", std::string(content_type(true))}});
  follow();
  read_window();
}

// All events up to `version_seen` have come from upstream. Those of the window that are later are
// what is left, in the same order.
void PodWatch::join_window() {
  const podview::PodWindow* const window = owner_.parts().window;
  const podview::Memory& memory = stream_.memory();
  if (window == nullptr || place_ || state_ != State::streaming) return;
  // A watch without a version begins with all pods, in any order.
  if (!request_.names_version() && !request_.has_initial_events) return;
  if (!request_.is_of_running || !memory.can_resume()) return;
  place_ = window->after(memory.version_seen);
  if (!place_) return;
  stream_.leave_upstream();
  reply_.leave_upstream();
}

void PodWatch::read_window() {
  constexpr std::size_t kAtOnce = 1 << 20;
  join_window();
  while (place_ && state_ == State::streaming && !reply_.is_full()) {
    const auto frames = owner_.parts().window->read(*place_, kAtOnce);
    if (!frames) return leave_window();
    if (frames->empty()) return;
    std::string out;
    Status taken = Done{};
    for (const auto& frame : *frames) {
      taken = stream_.take_of_all(*frame, out);
      if (!taken) break;
    }
    take(taken, std::move(out));
  }
}

// A client that reads too slowly watches again, and goes on upstream. If berthd has listed pods
// anew, something may be lacking, so the client must list, too.
void PodWatch::leave_window() {
  if (owner_.parts().window->goes_on_from(*place_)) return on_end();
  std::string out;
  stream_.expire(out);
  write(std::move(out));
  on_end();
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
