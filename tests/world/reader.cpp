#include "world/reader.h"

#include <utility>

namespace berth::world {

Reader::Reader(const Life& life, Network& network, ApiServer& server, Kind kind,
               ports::EventSink& sink, ports::WatchTap* tap, std::function<void()> posted)
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
  std::map<std::string, std::uint64_t> before = std::exchange(known_, {});
  for (const ApiServer::Change& each : server_.list(kind_)) {
    const auto old = before.find(each.key);
    const bool is_same = old != before.end() && old->second == each.version;
    if (old != before.end()) before.erase(old);
    known_[each.key] = each.version;
    if (!is_same) sink_.post(each.event);
  }
  for (const auto& [key, version] : before) {
    if (kind_ == Kind::node) sink_.post(NodeDeleted{key});
    if (kind_ == Kind::pod) sink_.post(PodDeleted{key});
    if (kind_ == Kind::group) sink_.post(PodGroupDeleted{key});
    if (kind_ == Kind::queue) sink_.post(QueueDeleted{key});
  }
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
  for (const ApiServer::Change& change : server_.changes()) {
    if (change.version <= version_ || change.kind != kind_) continue;
    hand_on(change);
    has_news = true;
  }
  version_ = until;
  if (has_news) posted_();
}

void Reader::hand_on(const ApiServer::Change& change) {
  if (change.is_deletion()) {
    known_.erase(change.key);
  } else {
    known_[change.key] = change.version;
  }
  sink_.post(change.event);
  if (tap_ == nullptr) return;
  tap_->event(std::to_string(change.version), podview::testing::event(change.type, change.sample));
}

}  // namespace berth::world
