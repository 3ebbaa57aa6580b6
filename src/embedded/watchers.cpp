#include "embedded/watchers.h"

#include <algorithm>
#include <utility>

#include "berth/base/check.h"

namespace berth::embedded {

void Watchers::add(ports::EventSink& sink, std::vector<ClusterEvent> first) {
  BERTH_CHECK(find(sink) == nullptr);
  watchers_.push_back({&sink, {first.begin(), first.end()}, first.empty()});
}

void Watchers::wait_until_synced(const ports::EventSink& sink, std::unique_lock<std::mutex>& lock) {
  posted_.wait(lock, [&] { return find(sink) == nullptr || is_synced(sink); });
}

void Watchers::wait_until_delivered(std::unique_lock<std::mutex>& lock) {
  posted_.wait(lock, [this] { return !has_pending() && posting_to_ == nullptr; });
}

void Watchers::remove(ports::EventSink& sink, std::unique_lock<std::mutex>& lock) {
  std::erase_if(watchers_, [&](const Watcher& watcher) { return watcher.sink == &sink; });
  posted_.notify_all();
  posted_.wait(lock, [&] { return posting_to_ != &sink; });
}

void Watchers::notify(const ClusterEvent& event) {
  for (Watcher& watcher : watchers_) watcher.pending.push_back(event);
}

bool Watchers::has_pending() const {
  return std::any_of(watchers_.begin(), watchers_.end(),
                     [](const Watcher& watcher) { return !watcher.pending.empty(); });
}

bool Watchers::is_synced(const ports::EventSink& sink) const {
  return std::any_of(watchers_.begin(), watchers_.end(), [&](const Watcher& watcher) {
    return watcher.sink == &sink && watcher.synced;
  });
}

void Watchers::deliver(std::unique_lock<std::mutex>& lock) {
  std::vector<ports::EventSink*> sinks;
  for (const Watcher& watcher : watchers_) sinks.push_back(watcher.sink);
  for (ports::EventSink* sink : sinks) {
    Watcher* const watcher = find(*sink);
    if (watcher == nullptr || watcher->pending.empty()) continue;
    const std::deque<ClusterEvent> batch = std::exchange(watcher->pending, {});
    posting_to_ = sink;
    lock.unlock();
    for (const ClusterEvent& event : batch) sink->post(event);
    lock.lock();
    posting_to_ = nullptr;
    if (Watcher* const still = find(*sink)) still->synced = true;
    posted_.notify_all();
  }
}

Watchers::Watcher* Watchers::find(const ports::EventSink& sink) {
  const auto found = std::find_if(watchers_.begin(), watchers_.end(),
                                  [&](const Watcher& watcher) { return watcher.sink == &sink; });
  return found == watchers_.end() ? nullptr : &*found;
}

}  // namespace berth::embedded
