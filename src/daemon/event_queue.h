#pragma once

#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <functional>
#include <mutex>
#include <vector>

#include "ports/event_sink.h"
#include "ports/object_writer.h"

namespace berth::daemon {

// Events and answers to writes that the session thread has not taken in yet. Many producers, one
// consumer. Bounded: a producer that finds it full waits, which holds back its watch and loses
// nothing. PlacementDropped, PlacementMoved and answers come from threads that may not wait; they
// always get in.
class EventQueue final : public ports::EventSink {
 public:
  explicit EventQueue(std::size_t capacity = std::size_t{1} << 18,
                      std::function<void()> on_full = {});

  struct Batch {
    std::vector<ClusterEvent> events;
    std::vector<ports::WriteAnswer> answers;
  };

  void post(ClusterEvent event) override;
  void post(ports::WriteAnswer answer);
  // Wakes the consumer without an event.
  void wake();
  // Producers no longer wait, and what they post is dropped.
  void close();

  // Takes everything, waiting for something until `deadline`. Events that come before
  // `not_before` are taken together, unless the queue is full before. Consumer only.
  Batch take(std::chrono::steady_clock::time_point deadline,
             std::chrono::steady_clock::time_point not_before = {});
  std::size_t size() const;

 private:
  void announce_news();

  const std::size_t capacity_;
  const std::function<void()> on_full_;
  mutable std::mutex mutex_;
  std::condition_variable has_news_;
  std::condition_variable may_gather_no_more_;
  std::condition_variable has_room_;
  Batch batch_;
  bool awaits_news_ = false;  // a consumer that gathers is not woken by each event
  bool is_woken_ = false;
  bool is_closed_ = false;
};

}  // namespace berth::daemon
