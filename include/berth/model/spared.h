#pragma once

#include <cstdint>
#include <string>

#include "berth/model/reason.h"

namespace berth {

// The pods that an evicting action left alone, for one reason.
struct Spared {
  Reason reason = Reason::none;
  std::int32_t pods = 0;
  bool operator==(const Spared&) const = default;
};

// For all pods that stay for the reason, so without their numbers and names.
std::string why_spared(Reason reason);

}  // namespace berth
