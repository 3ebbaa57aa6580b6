#pragma once

#include <vector>

#include "engine/scheduler.h"
#include "mirror/mirror.h"

// One gang on a few nodes, under the configuration that is shipped.

namespace berth::support {

engine::SessionConfig shipped_config();

// A group that needs all of its pods, one for each request, with these indexes; and a session.
Plan plan_of_gang(const engine::SessionConfig& config, mirror::Mirror& mirror,
                  const std::vector<NamedAmounts>& requests, const TopologyWish& wish = {});

}  // namespace berth::support
