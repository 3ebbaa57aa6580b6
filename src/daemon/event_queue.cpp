#include "daemon/event_queue.h"

#include <utility>

namespace berth::daemon {

namespace {

bool may_wait(const ClusterEvent& event) {
  return !std::holds_alternative<PlacementDropped>(event) &&
         !std::holds_alternative<PlacementMoved>(event) &&
         !std::holds_alternative<RightAnswer>(event) &&
         !std::holds_alternative<NamingPolicy>(event);
}

}  // namespace

EventQueue::EventQueue(std::size_t capacity, std::function<void()> on_stalled,
                       std::chrono::milliseconds patience)
    : capacity_(capacity), on_stalled_(std::move(on_stalled)), patience_(patience) {}

void EventQueue::post(ClusterEvent event) {
  std::unique_lock lock(mutex_);
  const auto has_room = [this] { return batch_.events.size() < capacity_ || is_closed_; };
  if (may_wait(event) && !has_room()) {
    may_gather_no_more_.notify_one();
    if (!has_room_.wait_for(lock, patience_, has_room)) {
      if (on_stalled_) on_stalled_();
      has_room_.wait(lock, has_room);
    }
  }
  if (is_closed_) return;
  batch_.events.push_back(std::move(event));
  announce_news();
}

void EventQueue::post(ports::WriteAnswer answer) {
  const std::lock_guard lock(mutex_);
  if (is_closed_) return;
  batch_.answers.push_back(std::move(answer));
  announce_news();
}

void EventQueue::wake() {
  const std::lock_guard lock(mutex_);
  is_woken_ = true;
  announce_news();
}

void EventQueue::close() {
  const std::lock_guard lock(mutex_);
  is_closed_ = true;
  has_room_.notify_all();
  may_gather_no_more_.notify_one();
  announce_news();
}

void EventQueue::announce_news() {
  if (awaits_news_) has_news_.notify_one();
}

EventQueue::Batch EventQueue::take(std::chrono::steady_clock::time_point deadline,
                                   std::chrono::steady_clock::time_point not_before) {
  std::unique_lock lock(mutex_);
  awaits_news_ = true;
  has_news_.wait_until(lock, deadline, [this] { return is_due() || is_closed_; });
  awaits_news_ = false;
  may_gather_no_more_.wait_until(
      lock, not_before, [this] { return batch_.events.size() >= capacity_ || is_closed_; });
  is_woken_ = false;
  has_room_.notify_all();
  return std::exchange(batch_, {});
}

bool EventQueue::has_news() const {
  const std::lock_guard lock(mutex_);
  return is_due();
}

std::size_t EventQueue::size() const {
  const std::lock_guard lock(mutex_);
  return batch_.events.size();
}

}  // namespace berth::daemon
