#include "world/reader.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "embedded/pod_wire.h"
#include "podview/codec.h"

namespace berth::world {
namespace {

using Fate = Network::WriteFate;
using kubeapi::Response;

constexpr int kGone = 410;
constexpr Duration kBusy = 500ms;

// A parameter of a request; 0: it has none.
std::uint64_t parameter(const std::string& path, const std::string& name) {
  const std::size_t at = path.find(name + "=");
  return at == std::string::npos ? 0 : std::stoull("0" + path.substr(at + name.size() + 1));
}

std::string object_text(const std::string& key, std::uint64_t version) {
  const std::size_t slash = key.find('/');
  const std::string name_space =
      slash == std::string::npos ? "" : R"("namespace":")" + key.substr(0, slash) + R"(",)";
  return R"({"metadata":{)" + name_space + R"("name":")" + key.substr(slash + 1) +
         R"(","resourceVersion":")" + std::to_string(version) + R"("}})";
}

ClusterEvent deletion(Kind kind, const std::string& id) {
  switch (kind) {
    case Kind::node:
      return NodeDeleted{id};
    case Kind::pod:
      return PodDeleted{id};
    case Kind::group:
      return PodGroupDeleted{id};
    case Kind::queue:
      return QueueDeleted{id};
    case Kind::owner:
      return OwnerDeleted{id};
    default:
      return BudgetDeleted{id};
  }
}

}  // namespace

Response response_of(Fate fate) {
  switch (fate) {
    case Fate::conflict:
      return {.status = 409};
    case Fate::throttled:
      return {.status = 429, .retry_after = 1s};
    case Fate::failure:
      return {.status = 500};
    default:
      return {.error = "no answer"};
  }
}

Reader::Reader(Life& life, Network& network, ApiServer& server, Kind kind, ports::EventSink& sink,
               ports::WatchTap* tap, std::function<void()> posted)
    : life_(life),
      network_(network),
      server_(server),
      kind_(kind),
      sink_(sink),
      posted_(std::move(posted)),
      streams_lists_(life.agenda().happens(500)),
      reflector_(life.agenda(), "https://world:1", reflected(tap), options()) {
  carry_out(reflector_.step());
}

kubeapi::ReflectedKind Reader::reflected(ports::WatchTap* tap) {
  kubeapi::ReflectedKind kind;
  kind.name = to_string(kind_);
  kind.path = "/" + kind.name;
  kind.by_uid = kind_ == Kind::pod;
  if (kind_ == Kind::pod) {
    kind.format = kubeapi::Format::protobuf;
    kind.type = "Pod";
  }
  kind.changed = [this](const document::Value& object, auto&) -> Status {
    sink_.post(coming_.at(object.text_at({"metadata", "resourceVersion"})));
    return berth::Done{};
  };
  kind.gone = [this](const std::string& id) { sink_.post(deletion(kind_, id)); };
  kind.tap = tap;
  return kind;
}

kubeapi::ReflectorOptions Reader::options() {
  kubeapi::ReflectorOptions options;
  options.page_size = 1 + static_cast<int>(life_.agenda().below(20));
  options.seed = 1 + life_.agenda().below(1000);
  return options;
}

// As a MachineThread does.
void Reader::carry_out(kubeapi::Step step) {
  if (step.pause) {
    is_pausing_ = true;
    return life_.after(*step.pause, [this, number = ++pause_] {
      if (is_pausing_ && number == pause_) end_pause();
    });
  }
  Fate fate = network_.fate_of_write();
  if (fate == Fate::conflict) fate = Fate::done;  // it reads
  const bool has_answer = fate != Fate::lost_request && fate != Fate::lost_answer;
  const Duration wait = has_answer ? network_.hop() : step.request->deadline;
  life_.after(wait, [this, fate, is_watch = step.is_watch, number = ++watch_,
                     request = *std::move(step.request)] {
    if (number != watch_) return;
    if (fate != Fate::done) return answer(response_of(fate));
    if (is_watch) return begin_watch(request);
    life_.after(network_.hop(), [this, number, response = page(request)]() mutable {
      if (number == watch_) answer(std::move(response));
    });
  });
}

void Reader::end_pause() {
  is_pausing_ = false;
  carry_out(reflector_.step());
}

void Reader::answer(Response response) {
  carry_out(reflector_.answered(std::move(response)));
  posted_();
}

// --- a list in pages -----------------------------------------------------------------------------

Response Reader::page(const kubeapi::Request& request) {
  const std::size_t begin = parameter(request.path, "continue");
  if (begin == 0) {
    listed_ = server_.list(kind_);
    listed_version_ = server_.version();
  } else if (listed_version_ < server_.oldest()) {
    return {.status = kGone};
  }
  const std::size_t limit = parameter(request.path, "limit");
  const std::size_t left = listed_.size() - begin;
  const std::size_t end = begin + (limit == 0 ? left : std::min(limit, left));
  const auto at = [&](std::size_t i) { return listed_.begin() + static_cast<std::ptrdiff_t>(i); };
  const Changes items(at(begin), at(end));
  coming_.clear();
  for (const auto& each : items) coming_.emplace(std::to_string(each.version), each.event);
  const std::string next = end == listed_.size() ? "" : std::to_string(end);
  if (kind_ == Kind::pod) {
    return {.status = 200, .body = embedded::pod_list(listed_version_, items, next)};
  }
  std::string text;
  for (const auto& each : items) {
    text += (text.empty() ? "" : ",") + object_text(each.key, each.version);
  }
  return {.status = 200,
          .body = R"({"metadata":{"resourceVersion":")" + std::to_string(listed_version_) +
                  R"(","continue":")" + next + R"("},"items":[)" + text + "]}"};
}

// --- a watch -------------------------------------------------------------------------------------

void Reader::begin_watch(const kubeapi::Request& request) {
  const bool brings_list = request.path.find("sendInitialEvents") != std::string::npos;
  if (brings_list && !streams_lists_) return answer({.status = 422});
  version_ = brings_list ? server_.version() : parameter(request.path, "resourceVersion");
  if (version_ < server_.oldest()) return answer({.status = kGone});
  is_watched_ = true;
  ends_since_.reset();
  const std::chrono::seconds length(parameter(request.path, "timeoutSeconds"));
  life_.after(length, [this, number = ++watch_] {
    if (number == watch_) end_in_time();
  });
  if (brings_list && give_all(server_.list(kind_))) give(bookmark());
  wake();
}

void Reader::wake() {
  if (!is_watched_ || std::exchange(is_on_its_way_, true)) return;
  life_.after(network_.hop(), [this] {
    is_on_its_way_ = false;
    if (!is_watched_) return;
    if (!is_lost_to_the_end()) deliver();
    if (is_watched_ && ends_since_ && !is_on_its_way_) end_in_time();
  });
}

// A server whose processor is busy finds events and the end of the watch at once, and takes either.
bool Reader::is_lost_to_the_end() {
  return ends_since_ && life_.agenda().now() - *ends_since_ >= kBusy && life_.agenda().happens(500);
}

// Bytes keep their order: the end comes after what was sent before.
void Reader::end_in_time() {
  if (is_on_its_way_) {
    ends_since_ = life_.agenda().now();
  } else if (give(bookmark())) {
    end_watch();
  }
}

void Reader::deliver() {
  if (life_.agenda().happens(network_.faults.cut)) return break_watch();
  // An API server ends the watch of a client that is too slow.
  if (version_ < server_.oldest()) {
    return life_.agenda().below(2) == 0 ? end_watch() : void(give(error(kGone)));
  }
  // Sometimes only the first of the news, and the others with the next delivery.
  std::uint64_t most = std::numeric_limits<std::uint64_t>::max();
  if (life_.agenda().happens(network_.faults.piecemeal)) most = 1 + life_.agenda().below(3);
  Changes news;
  std::uint64_t until = server_.version();
  server_.each_change_after(version_, [&](const ApiServer::Change& change) {
    if (change.kind != kind_ || change.version > until) return;
    if (news.size() == most) {
      until = change.version - 1;
    } else {
      news.push_back(change);
    }
  });
  version_ = until;
  if (!news.empty() && give_all(news) && until < server_.version()) wake();
}

// Bad bytes, an error, or the end in the middle of a line, which is noticed sooner or later.
void Reader::break_watch() {
  const std::uint64_t how = life_.agenda().below(8);
  if (how == 0) return void(give("no line"));
  if (how < 3) return void(give(error(how == 1 ? kGone : 500)));
  is_watched_ = false;
  ++watch_;
  // A dead connection may last 90 s, but a node would be locked again each 10 s, against a law.
  const Duration silence =
      how == 3 ? life_.agenda().between(10s, 40s) : life_.agenda().between(10ms, 3s);
  is_dead_ = true;
  life_.after(silence, [this, number = watch_] {
    if (number == watch_) end_watch("broken off");
  });
}

void Reader::doubt_silence(Duration proved_within) {
  if (!reflector_.doubt(proved_within)) return;
  if (is_pausing_) return end_pause();
  const int status = is_watched_ || is_dead_ ? 200 : 0;
  is_watched_ = is_dead_ = false;
  ++watch_;
  answer({.status = status, .error = "cancelled", .is_silent = true});
}

bool Reader::give_all(const Changes& changes) {
  coming_.clear();
  for (const ApiServer::Change& each : changes) {
    coming_.emplace(std::to_string(each.version), each.event);
    if (!give(frame_of(each))) return false;
  }
  return true;
}

bool Reader::give(const std::string& frame) {
  const bool is_taken = reflector_.take(frame);
  posted_();
  if (!is_taken) end_watch("cancelled");
  return is_taken;
}

void Reader::end_watch(std::string why) {
  is_watched_ = is_dead_ = false;
  ++watch_;
  answer({.status = 200, .error = std::move(why)});
}

std::string Reader::frame_of(const ApiServer::Change& change) const {
  if (kind_ == Kind::pod) return embedded::pod_event(change.type, change.version, change.pod());
  return R"({"type":")" + change.type + R"(","object":)" + object_text(change.key, change.version) +
         "}";
}

// As at the end of a list.
std::string Reader::bookmark() const {
  if (kind_ == Kind::pod) return embedded::pods_bookmark(version_);
  return R"({"type":"BOOKMARK","object":{"metadata":{"resourceVersion":")" +
         std::to_string(version_) + R"(","annotations":{"k8s.io/initial-events-end":"true"}}}})";
}

std::string Reader::error(int code) const {
  if (kind_ != Kind::pod) {
    return R"({"type":"ERROR","object":{"code":)" + std::to_string(code) + "}}";
  }
  const char number = static_cast<char>(code % 128 + 128);
  std::string frame;
  podview::append_frame(
      "ERROR", podview::enveloped("Status", {0x30, number, static_cast<char>(code / 128)}), frame);
  return frame;
}

}  // namespace berth::world
