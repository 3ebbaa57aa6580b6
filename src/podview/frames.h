#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>

#include "berth/base/result.h"
#include "podview/codec.h"

namespace berth::podview {

// Cuts the bytes of a watch into frames: of protobuf with its length, of JSON a line. The start of
// a frame is kept until the frame is whole.
class Frames {
 public:
  explicit Frames(const Codec& codec) : codec_(&codec) {}

  // Ends at the first Error, from the bytes or from `on_frame`.
  Status take(std::string_view bytes, const std::function<Status(std::string_view)>& on_frame);

 private:
  const Codec* codec_;
  std::string started_;
};

}  // namespace berth::podview
