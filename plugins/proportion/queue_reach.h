#pragma once

#include <cstdint>
#include <vector>

#include "berth/engine/feasibility.h"
#include "berth/engine/queue_tree.h"

namespace berth::plugins {

// What each queue could have at most, were nobody else there, neither of queues nor of others; what
// is guaranteed to other queues is theirs, unless it is `lent`. By position and dimension.
std::vector<std::int64_t> queue_reach(const engine::QueueTree& tree,
                                      const engine::Feasibility& feasibility, bool is_lent);

}  // namespace berth::plugins
