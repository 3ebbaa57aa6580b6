#pragma once

#include <vector>

#include "berth/engine/session.h"

namespace berth::plugins {

// Who must leave so that what queues are guaranteed and have not taken is free, even if nobody
// waits for it: S1's hard semantics, for the queues that want it (S3) or for all. Rules SHUFFLE-2
// to SHUFFLE-4 of docs/design/shuffle.md. In the order in which they should leave; empty when
// nothing is missing.
std::vector<TaskId> guarantee_victims(const engine::Session& session, const QueueShares& shares,
                                      bool for_all);

}  // namespace berth::plugins
