#pragma once

#include <cstdint>
#include <string>

namespace berth::ports {

// Two planned pods have got each other's place (docs/design/steering.md, STEER-16).
struct Exchange {
  std::string pod_uid;
  std::string node;  // that it had before
  std::string other_uid;
  std::string other_node;   // likewise
  std::uint64_t order = 0;  // of its place before, PlannedPod::order
  std::uint64_t other_order = 0;
};

}  // namespace berth::ports
