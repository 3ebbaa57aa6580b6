#include "podview/pod_window.h"

#include <algorithm>

#include "ports/resource_version.h"

namespace berth::podview {

void PodWindow::listed(std::string_view version) {
  {
    const std::lock_guard lock(mutex_);
    ++list_;
    first_ += events_.size();
    events_.clear();
    bytes_ = 0;
    from_ = ports::version_number(version);
    newest_ = from_.value_or(0);
  }
  notify();
}

void PodWindow::event(std::string_view version, std::string_view frame) {
  const auto number = ports::version_number(version);
  {
    const std::lock_guard lock(mutex_);
    if (!from_) return;
    if (number && *number >= newest_) {
      add(*number, frame);
    } else {
      from_.reset();  // the next list begins anew
    }
  }
  notify();
}

void PodWindow::add(std::uint64_t version, std::string_view frame) {
  newest_ = version;
  bytes_ += frame.size();
  events_.push_back({version, std::make_shared<const std::string>(frame)});
  while (bytes_ > most_) {
    from_ = events_.front().version;
    bytes_ -= events_.front().frame->size();
    events_.pop_front();
    ++first_;
  }
}

void PodWindow::notify() {
  if (!has_news_.exchange(true) && on_news_) on_news_();
}

std::optional<PodWindow::Place> PodWindow::after(std::string_view version) const {
  const auto number = ports::version_number(version);
  const std::lock_guard lock(mutex_);
  if (!number || !from_ || *number < *from_ || *number > newest_) return std::nullopt;
  const auto next =
      std::upper_bound(events_.begin(), events_.end(), *number,
                       [](std::uint64_t left, const Event& right) { return left < right.version; });
  return Place{list_, first_ + static_cast<std::uint64_t>(next - events_.begin())};
}

bool PodWindow::goes_on_from(const Place& place) const {
  const std::lock_guard lock(mutex_);
  return from_.has_value() && place.list == list_;
}

std::optional<std::vector<PodWindow::Frame>> PodWindow::read(Place& place, std::size_t most) const {
  const std::lock_guard lock(mutex_);
  if (place.list != list_ || !from_ || place.next < first_) return std::nullopt;
  std::vector<Frame> frames;
  std::size_t bytes = 0;
  for (std::size_t i = place.next - first_; i < events_.size(); ++i) {
    bytes += events_[i].frame->size();
    if (!frames.empty() && bytes > most) break;
    frames.push_back(events_[i].frame);
    ++place.next;
  }
  return frames;
}

}  // namespace berth::podview
