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
// consumer. Bounded, since a pod of 2 KiB on the wire takes as much here: a watch that finds it
// full waits, and loses nothing. Placements, rights and answers come from threads that may not
// wait; they always get in.
class EventQueue final : public ports::EventSink {
 public:
  static constexpr std::size_t kCapacity = 4096;  // events

  // `on_stalled`, on the thread that posts: a watch has waited for `patience`. Once for each wait.
  explicit EventQueue(std::size_t capacity = kCapacity, std::function<void()> on_stalled = {},
                      std::chrono::milliseconds patience = std::chrono::seconds(10));

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
  // take() would not wait.
  bool has_news() const;

 private:
  void announce_news();
  bool is_due() const { return !batch_.events.empty() || !batch_.answers.empty() || is_woken_; }

  const std::size_t capacity_;
  const std::function<void()> on_stalled_;
  const std::chrono::milliseconds patience_;
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
