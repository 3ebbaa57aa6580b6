#pragma once

#include "actions/eviction/min_run_time.h"
#include "actions/eviction/parties.h"

namespace berth::actions {

// Evicts pods of others from the nodes that queues have of their own, where the policy is
// Guaranteed, until the queue has there what it asks for: rules NODES-17 to NODES-20 of
// docs/design/node-reservation.md. Candidates and protections are those of all evictions
// (docs/design/victims.md).
void clear_nodes_of_queues(engine::Session& session, PartsOfJobs& parts_of_jobs,
                           bool takes_whole_jobs, const MinRunTime& min_run_time);

}  // namespace berth::actions
