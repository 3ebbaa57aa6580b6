#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "ports/watch_tap.h"

namespace berth::podview {

// The last events of berthd's own watch of pods, by their resource versions, so that
// kube-scheduler's watch needs no second one (VIEW-17). Any thread.
class PodWindow final : public ports::WatchTap {
 public:
  using Frame = std::shared_ptr<const std::string>;

  // Between two events.
  struct Place {
    std::uint64_t list = 0;  // the number of the list that the window began with
    std::uint64_t next = 0;  // the number of the next event
  };

  // Older events leave beyond so many bytes.
  explicit PodWindow(std::size_t most = std::size_t{16} << 20) : most_(most) {}

  // Called after events, without a lock, and not again before take_news(). Set once, before the
  // first event.
  void on_news(std::function<void()> call) { on_news_ = std::move(call); }
  void take_news() { has_news_ = false; }

  void listed(std::string_view version) override;
  void event(std::string_view version, std::string_view frame) override;

  // The place after that version. None: not all events since are here, or none as new is.
  std::optional<Place> after(std::string_view version) const;
  // No list has begun since that place.
  bool goes_on_from(const Place& place) const;
  // Goes on from the place, by at least one event if there is one, and so many bytes at most. None:
  // its events have left.
  std::optional<std::vector<Frame>> read(Place& place, std::size_t most) const;

 private:
  struct Event {
    std::uint64_t version = 0;
    Frame frame;
  };

  void add(std::uint64_t version, std::string_view frame);
  void notify();

  const std::size_t most_;
  std::function<void()> on_news_;
  std::atomic<bool> has_news_ = false;
  mutable std::mutex mutex_;
  std::deque<Event> events_;
  std::uint64_t first_ = 0;            // the number of events_.front()
  std::uint64_t list_ = 0;             // how many lists there were
  std::optional<std::uint64_t> from_;  // all events after this version are here
  std::uint64_t newest_ = 0;
  std::size_t bytes_ = 0;
};

}  // namespace berth::podview
