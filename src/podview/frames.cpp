#include "podview/frames.h"

namespace berth::podview {

namespace {

constexpr std::size_t kKeptRoom = 1 << 20;

}  // namespace

Status Frames::take(std::string_view bytes,
                    const std::function<Status(std::string_view)>& on_frame) {
  std::size_t scanned = started_.size();
  const bool goes_on = !started_.empty();
  if (goes_on) started_ += bytes;
  std::string_view left = goes_on ? std::string_view(started_) : bytes;
  while (!left.empty()) {
    const auto size = codec_->frame_size(left, scanned);
    if (!size) return size.error();
    if (*size == 0) break;
    if (const Status status = on_frame(left.substr(0, *size)); !status) return status;
    left.remove_prefix(*size);
    scanned = 0;
  }
  if (!goes_on) {
    started_ = left;
  } else {
    started_.erase(0, started_.size() - left.size());
  }
  if (started_.empty() && started_.capacity() > kKeptRoom) started_.shrink_to_fit();
  return Done{};
}

}  // namespace berth::podview
