#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <vector>

#include "berth/base/clock.h"
#include "berth/base/strong_id.h"

namespace berth {

// The pods that were evicted for jobs and queues within the last minute, by their own queues: rules
// LIMIT-1 and LIMIT-7 of docs/design/eviction-limits.md. Session thread only.
class RecentEvictions {
 public:
  static constexpr Duration kMinute = std::chrono::minutes(1);

  struct Entry {
    TimePoint at;
    QueueId queue;  // invalid: there is no such queue any more
    std::int32_t pods = 0;
  };

  const std::vector<Entry>& entries() const { return entries_; }

  void add(TimePoint at, QueueId queue) {
    if (Entry* const same = find(at, queue)) return void(++same->pods);
    entries_.push_back({at, queue, 1});
  }
  // Of a pod that stays after all. Nothing if its eviction has been forgotten.
  void take_back(TimePoint at, QueueId queue) {
    Entry* const found = find(at, queue);
    if (found != nullptr && found->pods > 0) --found->pods;
  }
  // Its id may be used again.
  void forget_queue(QueueId queue) {
    for (Entry& each : entries_) {
      if (each.queue == queue) each.queue = QueueId();
    }
  }
  static bool counts(const Entry& entry, TimePoint now) {
    return entry.at <= now && now - entry.at < kMinute;
  }
  void forget_what_is_over(TimePoint now) {
    std::erase_if(entries_, [now](const Entry& each) { return !counts(each, now); });
  }
  void clear() { entries_.clear(); }

 private:
  Entry* find(TimePoint at, QueueId queue) {
    const auto found = std::find_if(entries_.begin(), entries_.end(), [&](const Entry& each) {
      return each.at == at && each.queue == queue;
    });
    return found == entries_.end() ? nullptr : &*found;
  }

  std::vector<Entry> entries_;
};

}  // namespace berth
