#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "berth/model/cluster.h"

namespace berth::views {

// Idle room of one extended resource (nvidia.com/gpu).
struct IdleRoom {
  std::int64_t idle = 0;
  // Of that, on nodes where no pod that asks for the resource fits, neither one that waits nor one
  // like those that run. Room that is promised counts as idle.
  std::int64_t useless = 0;
  bool operator==(const IdleRoom&) const = default;
};

// By resource. None for a resource that no pod asks for. Takes time in proportion to the nodes
// times the shapes that ask for no more than others with the same selectors and tolerations.
std::map<std::string, IdleRoom> idle_room(const Cluster& cluster);

}  // namespace berth::views
