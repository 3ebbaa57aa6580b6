#include "world/reader.h"

#include <utility>

#include "embedded/object_keys.h"
#include "embedded/pod_wire.h"

namespace berth::world {

Reader::Reader(Life& life, Network& network, ApiServer& server, Kind kind, ports::EventSink& sink,
               ports::WatchTap* tap, std::function<void()> posted)
    : life_(life),
      network_(network),
      server_(server),
      kind_(kind),
      sink_(sink),
      tap_(tap),
      posted_(std::move(posted)) {
  is_listing_ = true;
  life_.after(network_.hop(), [this] { list(); });
}

void Reader::wake() {
  if (is_listing_ || is_on_its_way_ || is_cut_) return;
  is_on_its_way_ = true;
  life_.after(network_.hop(), [this] { deliver(); });
}

void Reader::list() {
  is_listing_ = false;
  version_ = server_.version();
  std::map<std::string, ApiServer::Change> before = std::exchange(known_, {});
  for (ApiServer::Change& each : server_.list(kind_)) {
    const auto old = before.extract(each.key);
    if (old.empty() || old.mapped().version != each.version) sink_.post(each.event);
    known_.emplace(each.key, std::move(each));
  }
  for (const auto& [key, gone] : before) sink_.post(embedded::deletion_of(gone.event));
  if (tap_ != nullptr) tap_->listed(std::to_string(version_));
  is_synced_ = true;
  posted_();
  wake();
}

void Reader::deliver() {
  is_on_its_way_ = false;
  if (life_.agenda().happens(network_.faults.cut)) {
    is_cut_ = true;
    return life_.after(life_.agenda().between(10ms, 3s), [this] {
      is_cut_ = false;
      wake();
    });
  }
  if (version_ < server_.oldest()) {
    is_listing_ = true;
    return life_.after(network_.hop(), [this] { list(); });
  }
  const std::uint64_t until = server_.version();
  bool has_news = false;
  server_.each_change_after(version_, [&](const ApiServer::Change& change) {
    if (change.kind != kind_) return;
    hand_on(change);
    has_news = true;
  });
  version_ = until;
  if (has_news) posted_();
}

void Reader::hand_on(const ApiServer::Change& change) {
  if (change.is_deletion()) {
    known_.erase(change.key);
  } else {
    known_.insert_or_assign(change.key, change);
  }
  sink_.post(change.event);
  if (tap_ == nullptr) return;
  tap_->event(std::to_string(change.version),
              embedded::pod_event(change.type, change.version, change.pod()));
}

}  // namespace berth::world
