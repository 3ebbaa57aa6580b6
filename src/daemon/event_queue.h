#pragma once

#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <functional>
#include <mutex>
#include <vector>

#include "ports/event_sink.h"

namespace berth::daemon {

// What happened and has not been taken in yet. Many producers, one consumer. Bounded: a producer
// that finds it full waits, which holds back its watch and loses nothing; PlacementDropped,
// PlacementMoved and EvictionRefused come from threads that may not wait, and always get in.
class EventQueue final : public ports::EventSink {
 public:
  explicit EventQueue(std::size_t capacity = std::size_t{1} << 18,
                      std::function<void()> on_full = {});

  void post(ClusterEvent event) override;
  // Wakes the consumer without an event.
  void wake();
  // Producers no longer wait, and what they post is dropped.
  void close();

  // Takes everything, waiting for something until `deadline`. Consumer only.
  std::vector<ClusterEvent> take(std::chrono::steady_clock::time_point deadline);
  std::size_t size() const;

 private:
  const std::size_t capacity_;
  const std::function<void()> on_full_;
  mutable std::mutex mutex_;
  std::condition_variable has_news_;
  std::condition_variable has_room_;
  std::vector<ClusterEvent> events_;
  bool is_woken_ = false;
  bool is_closed_ = false;
};

}  // namespace berth::daemon
