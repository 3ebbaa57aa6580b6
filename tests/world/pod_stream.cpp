#include "world/pod_stream.h"

#include <utility>
#include <vector>

namespace berth::world {
namespace {

using podview::testing::Sample;

constexpr const char* kProtobuf = "application/vnd.kubernetes.protobuf";
constexpr const char* kRunning =
    "&fieldSelector=status.phase%21%3DSucceeded%2Cstatus.phase%21%3DFailed";

std::string parameter(const std::string& target, const std::string& name) {
  const std::size_t at = target.find(name + "=");
  if (at == std::string::npos) return {};
  const std::size_t begin = at + name.size() + 1;
  return target.substr(begin, target.find('&', begin) - begin);
}

}  // namespace

void PodRequest::begin() {
  proxy::Request request{"GET",
                         "/api/v1/pods?" + parts_.informer.query() + kRunning,
                         {{"accept", kProtobuf}, {"user-agent", "kube-scheduler"}}};
  is_list_ = parts_.informer.is_listing();
  exchange_ = parts_.view.intercept(request, *this);
  target_ = request.target;
  if (reads_upstream()) {
    parts_.life.after(parts_.network.hop(),
                      [self = shared_from_this()] { self->begin_upstream(); });
  }
}

bool PodRequest::reads_upstream() const {
  return !has_left_ && !has_ended_ && !is_broken_ && !is_finished_;
}

void PodRequest::begin_upstream() {
  if (!reads_upstream()) return;
  if (parts_.network.fate_of_call() != Network::Fate::done) {
    exchange_->on_failure("no answer");
    return drain_soon();
  }
  if (is_list_) return answer_list();
  begin_watch(target_);
}

void PodRequest::answer_list() {
  std::vector<Sample> pods;
  for (const ApiServer::Change& each : parts_.server.list(Kind::pod)) {
    if (!each.selected.empty()) pods.push_back(each.sample);
  }
  exchange_->on_head(200, {{"content-type", kProtobuf}});
  exchange_->on_body(podview::testing::list(std::to_string(parts_.server.version()), pods));
  exchange_->on_end();
}

void PodRequest::begin_watch(const std::string& target) {
  exchange_->on_head(200, {{"content-type", kProtobuf}});
  const std::string from = parameter(target, "resourceVersion");
  has_begun_ = true;
  if (!parameter(target, "sendInitialEvents").empty()) {
    version_ = parts_.server.version();
    for (const ApiServer::Change& each : parts_.server.list(Kind::pod)) {
      if (!reads_upstream()) return;
      if (each.selected.empty()) continue;
      exchange_->on_body(podview::testing::event("ADDED", each.sample));
    }
    if (!reads_upstream()) return;
    exchange_->on_body(podview::testing::bookmark(std::to_string(version_), true));
    return server_changed();
  }
  version_ = from.empty() ? parts_.server.version() : std::stoull(from);
  if (version_ < parts_.server.oldest()) {
    exchange_->on_body(podview::testing::error(410, "Expired"));
    if (reads_upstream()) exchange_->on_end();
    return;
  }
  server_changed();
}

void PodRequest::server_changed() {
  if (!has_begun_ || is_on_its_way_ || !reads_upstream()) return;
  is_on_its_way_ = true;
  parts_.life.after(parts_.network.hop(), [self = shared_from_this()] { self->deliver(); });
}

void PodRequest::deliver() {
  is_on_its_way_ = false;
  if (!reads_upstream()) return;
  if (version_ < parts_.server.oldest()) {
    exchange_->on_end();  // upstream ends a watch that is too slow
    return;
  }
  const std::uint64_t until = parts_.server.version();
  std::vector<std::string> frames;
  for (const ApiServer::Change& change : parts_.server.changes()) {
    if (change.version <= version_ || change.kind != Kind::pod || change.selected.empty()) continue;
    frames.push_back(podview::testing::event(change.selected, change.sample));
  }
  version_ = until;
  for (const std::string& frame : frames) {
    if (!reads_upstream()) return;
    exchange_->on_body(frame);
  }
}

// --- the view's answer -------------------------------------------------------------------------

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
  parts_.life.after(parts_.network.hop() / 4, [self = shared_from_this()] { self->drain(); });
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
  for (const std::string_view frame : podview::testing::frames_of(text)) {
    if (!parts_.informer.take_event(frame)) return finish(true);
    parts_.has_come();  // after each: a pod may go and come within one text
  }
  if (has_ended_) return finish(true);
  exchange_->on_room();
}

void PodRequest::cut() { finish(false); }

void PodRequest::finish(bool is_delivered) {
  if (std::exchange(is_finished_, true)) return;
  const auto self = shared_from_this();
  exchange_->on_closed(is_delivered);
  exchange_.reset();
  if (!is_list_) parts_.informer.end_stream();
  parts_.is_over();
}

}  // namespace berth::world
