#pragma once

#include <vector>

#include "berth/engine/session.h"

// How placing actions treat the claims of earlier sessions: rules CLAIM-2 to CLAIM-6 of
// docs/design/claims.md.

namespace berth::actions {

// Before anything else is placed: each claim is taken up again, becomes a placement, or ends.
// Every placing action calls it; the first call of a session counts.
void serve_claims(engine::Session& session);
// Those of this job alone, likewise.
void serve_claims_of(engine::Session& session, JobId job);

// The job's tasks that hold a claim in this session.
std::vector<TaskId> claimed_tasks(engine::Session& session, const Job& job);

// Does this session evict for the job?
bool are_evicted_for(engine::Session& session, const Job& job);
// CLAIM-12. Are pods of its queue leaving for the job, which has not started, and whose queue may
// not have both?
bool do_others_leave_for(engine::Session& session, const Job& job);

// Has this session ended its claims?
bool have_claims_ended(engine::Session& session, JobId job);
// VICTIM-10. Would the other jobs' members still have the places that were promised to them?
bool are_promises_kept(engine::Session& session, JobId claimant);
// May a job that cannot start yet hold claims?
bool may_hold(engine::Session& session, const Job& job);

}  // namespace berth::actions
