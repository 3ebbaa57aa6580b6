#pragma once

#include <string_view>

namespace berth::ports {

// Gets the frames of a watch as they came, for others that read the same. Calls come on the thread
// of the reader, one at a time, and must not block.
class WatchTap {
 public:
  virtual ~WatchTap() = default;
  // A list is whole. All events after its version follow; those before it may be lacking.
  virtual void listed(std::string_view version) = 0;
  // An event of an object, or a bookmark. Versions never go back between two lists.
  virtual void event(std::string_view version, std::string_view frame) = 0;
};

}  // namespace berth::ports
