#pragma once

#include <cstdint>
#include <vector>

#include "berth/engine/feasibility.h"
#include "berth/engine/queue_tree.h"

namespace berth::plugins {

// The most that each queue could have if no other pods existed, neither of queues nor foreign ones.
// Guarantees of other queues are excluded, unless they are `lent`. By position and dimension.
std::vector<std::int64_t> queue_reach(const engine::QueueTree& tree,
                                      const engine::Feasibility& feasibility, bool is_lent);

}  // namespace berth::plugins
