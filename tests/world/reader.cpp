#include "world/reader.h"

#include <limits>
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
  // Sometimes only the first of the news, and the others with the next delivery.
  std::uint64_t most = std::numeric_limits<std::uint64_t>::max();
  if (life_.agenda().happens(network_.faults.piecemeal)) most = 1 + life_.agenda().below(3);
  std::uint64_t until = server_.version();
  std::uint64_t handed_on = 0;
  server_.each_change_after(version_, [&](const ApiServer::Change& change) {
    if (change.kind != kind_ || handed_on > most) return;
    if (handed_on == most) {
      until = change.version - 1;
    } else {
      hand_on(change);
    }
    ++handed_on;
  });
  version_ = until;
  if (handed_on > 0) posted_();
  if (handed_on > most) wake();
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
