#pragma once

#include <cstdint>

#include "berth/base/clock.h"

namespace berth::embedded {

// The way between two processes. A simulation makes it slow, and loses what goes over it.
class Link {
 public:
  enum class Fate : std::uint8_t { done, lost_request, lost_answer };

  virtual ~Link() = default;
  virtual Duration hop() { return {}; }  // how long one way takes
  virtual Fate fate_of_call() { return Fate::done; }
};

}  // namespace berth::embedded
