#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>

#include "berth/base/result.h"

namespace berth::protobuf {

inline constexpr std::size_t kFrameHeader = 4;  // the length of the rest, big-endian

// Without its header.
inline std::string_view content_of(std::string_view frame) {
  return frame.size() < kFrameHeader ? std::string_view() : frame.substr(kFrameHeader);
}

// Cuts the bytes of a watch into frames, each with its header. The start of a frame is kept until
// the frame is whole.
class Frames {
 public:
  explicit Frames(std::size_t frame_most = std::size_t{16} << 20) : frame_most_(frame_most) {}

  // Ends at the first Error, from the bytes or from `on_frame`.
  Status take(std::string_view bytes, const std::function<Status(std::string_view)>& on_frame);

 private:
  Result<std::size_t> frame_size(std::string_view bytes) const;  // 0: not whole yet

  std::size_t frame_most_;
  std::string started_;
};

}  // namespace berth::protobuf
