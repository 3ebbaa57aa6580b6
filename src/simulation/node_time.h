#pragma once

#include <optional>
#include <string>
#include <vector>

#include "berth/base/clock.h"
#include "berth/model/objects.h"

namespace berth::simulation {

// A node that comes, or goes with all that runs on it, at a time.
struct NodeTime {
  std::string name;
  TimePoint at;
  bool comes = false;
};

// The pod of a node that goes, as it waits then; none: it is gone, too.
std::optional<PodObject> without_its_node(const PodObject& pod,
                                          const std::vector<std::string>& our_schedulers);

}  // namespace berth::simulation
