#pragma once

#include <vector>

#include "berth/engine/session.h"

namespace berth::plugins {

// The tasks that must leave so that unmet guarantees are free, even if no job waits for them: S1's
// hard semantics, for the queues that want it (S3) or for all. Rules SHUFFLE-2 to SHUFFLE-4 of
// docs/design/shuffle.md. The result is in the order of eviction, and empty when nothing is
// missing.
std::vector<TaskId> guarantee_victims(engine::Session& session, const QueueShares& shares,
                                      bool for_all);

}  // namespace berth::plugins
