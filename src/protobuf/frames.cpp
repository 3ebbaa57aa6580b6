#include "protobuf/frames.h"

namespace berth::protobuf {

namespace {

constexpr std::size_t kKeptRoom = 1 << 20;

}  // namespace

Result<std::size_t> Frames::frame_size(std::string_view bytes) const {
  if (bytes.size() < kFrameHeader) return 0;
  std::size_t size = 0;
  for (std::size_t i = 0; i < kFrameHeader; ++i) {
    size = size << 8 | static_cast<unsigned char>(bytes[i]);
  }
  if (size > frame_most_) {
    return Error{"an event of " + std::to_string(size) + " bytes, expected at most " +
                     std::to_string(frame_most_),
                 ""};
  }
  return bytes.size() < kFrameHeader + size ? 0 : kFrameHeader + size;
}

Status Frames::take(std::string_view bytes,
                    const std::function<Status(std::string_view)>& on_frame) {
  const bool goes_on = !started_.empty();
  if (goes_on) started_ += bytes;
  std::string_view left = goes_on ? std::string_view(started_) : bytes;
  while (!left.empty()) {
    const auto size = frame_size(left);
    if (!size) return size.error();
    if (*size == 0) break;
    if (const Status status = on_frame(left.substr(0, *size)); !status) return status;
    left.remove_prefix(*size);
  }
  if (!goes_on) {
    started_ = left;
  } else {
    started_.erase(0, started_.size() - left.size());
  }
  if (started_.empty() && started_.capacity() > kKeptRoom) started_.shrink_to_fit();
  return Done{};
}

}  // namespace berth::protobuf
