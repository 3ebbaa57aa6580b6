#include "embedded/pod_request.h"

#include <charconv>
#include <utility>
#include <vector>

#include "podview/codec.h"
#include "protobuf/frames.h"
#include "proxy/query.h"

namespace berth::embedded {
namespace {

constexpr const char* kProtobuf = "application/vnd.kubernetes.protobuf";
constexpr const char* kRunning =
    "&fieldSelector=status.phase%21%3DSucceeded%2Cstatus.phase%21%3DFailed";

}  // namespace

void PodRequest::begin() {
  proxy::Request request{"GET",
                         "/api/v1/pods?" + parts_.informer.query() + kRunning,
                         {{"accept", kProtobuf}, {"user-agent", "kube-scheduler"}}};
  is_list_ = parts_.informer.is_listing();
  if (parts_.view != nullptr) exchange_ = parts_.view->intercept(request, *this);
  target_ = request.target;
  if (reads_upstream()) {
    parts_.executor.after(parts_.link.hop(),
                          [self = shared_from_this()] { self->begin_upstream(); });
  }
}

bool PodRequest::reads_upstream() const {
  return !has_left_ && !has_ended_ && !is_broken_ && !is_finished_;
}

// --- the API server's answer --------------------------------------------------------------------

void PodRequest::upstream_head() {
  if (exchange_ == nullptr) return head(200, {});
  exchange_->on_head(200, {{"content-type", kProtobuf}});
}

void PodRequest::upstream_body(const std::string& bytes) {
  if (exchange_ == nullptr) return body(bytes);
  exchange_->on_body(bytes);
}

void PodRequest::upstream_end() {
  if (exchange_ == nullptr) return end();
  exchange_->on_end();
}

void PodRequest::begin_upstream() {
  if (!reads_upstream()) return;
  if (parts_.link.fate_of_call() != Link::Fate::done) {
    if (exchange_ == nullptr) return abort();
    exchange_->on_failure("no answer");
    return drain_soon();
  }
  if (is_list_) return answer_list();
  begin_watch();
}

void PodRequest::answer_list() {
  std::vector<ApiServer::Change> pods;
  for (ApiServer::Change& each : parts_.server.list(Kind::pod)) {
    if (!each.selected.empty()) pods.push_back(std::move(each));
  }
  upstream_head();
  upstream_body(pod_list(parts_.server.version(), pods));
  upstream_end();
}

void PodRequest::begin_watch() {
  upstream_head();
  const std::string from = proxy::query_value(target_, "resourceVersion").value_or("");
  has_begun_ = true;
  if (proxy::is_set(target_, "sendInitialEvents")) {
    version_ = parts_.server.version();
    for (const ApiServer::Change& each : parts_.server.list(Kind::pod)) {
      if (!reads_upstream()) return;
      if (!each.selected.empty()) upstream_body(pod_event("ADDED", each.version, each.pod()));
    }
    if (!reads_upstream()) return;
    upstream_body(pods_bookmark(version_));
    return server_changed();
  }
  version_ = parts_.server.version();
  std::from_chars(from.data(), from.data() + from.size(), version_);
  if (version_ < parts_.server.oldest()) {
    upstream_body(podview::expired_event());
    if (reads_upstream()) upstream_end();
    return;
  }
  server_changed();
}

void PodRequest::server_changed() {
  if (!has_begun_ || is_on_its_way_ || !reads_upstream()) return;
  is_on_its_way_ = true;
  parts_.executor.after(parts_.link.hop(), [self = shared_from_this()] { self->deliver(); });
}

void PodRequest::deliver() {
  is_on_its_way_ = false;
  if (!reads_upstream()) return;
  if (version_ < parts_.server.oldest()) return upstream_end();  // it ends a watch that is too slow
  std::vector<std::string> frames;
  parts_.server.each_change_after(version_, [&](const ApiServer::Change& change) {
    if (change.kind != Kind::pod || change.selected.empty()) return;
    frames.push_back(pod_event(change.selected, change.version, change.pod()));
  });
  version_ = parts_.server.version();
  for (const std::string& frame : frames) {
    if (!reads_upstream()) return;
    upstream_body(frame);
  }
}

// --- the view's answer --------------------------------------------------------------------------

void PodRequest::head(int status, proxy::Headers) { status_ = status; }

void PodRequest::body(std::string bytes) {
  text_ += bytes;
  drain_soon();
}

void PodRequest::end() {
  has_ended_ = true;
  drain_soon();
}

void PodRequest::abort() {
  is_broken_ = true;
  drain_soon();
}

void PodRequest::drain_soon() {
  if (std::exchange(is_draining_, true)) return;
  parts_.executor.after(parts_.link.hop() / 4, [self = shared_from_this()] { self->drain(); });
}

void PodRequest::drain() {
  is_draining_ = false;
  if (is_finished_) return;
  if (is_broken_) return finish(false);
  if (status_ != 200 && has_ended_) {
    parts_.informer.take_status(status_);
    return finish(true);
  }
  if (is_list_) {
    if (!has_ended_) return;
    parts_.informer.take_list(std::exchange(text_, {}));
    parts_.has_come();
    return finish(true);
  }
  const std::string text = std::exchange(text_, {});
  protobuf::Frames frames;
  const Status taken = frames.take(text, [this](std::string_view frame) -> Status {
    if (!parts_.informer.take_event(frame)) return Error{"an error", ""};
    parts_.has_come();  // after each: a pod may go and come within one text
    return Done{};
  });
  if (!taken || has_ended_) return finish(true);
  if (exchange_ != nullptr) exchange_->on_room();
}

void PodRequest::cut() { finish(false); }

void PodRequest::finish(bool is_delivered) {
  if (std::exchange(is_finished_, true)) return;
  const auto self = shared_from_this();
  if (exchange_ != nullptr) exchange_->on_closed(is_delivered);
  exchange_.reset();
  if (!is_list_) parts_.informer.end_stream();
  parts_.is_over();
}

}  // namespace berth::embedded
