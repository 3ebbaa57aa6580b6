#pragma once

#include <optional>
#include <vector>

#include "berth/engine/session.h"

// Shared by the actions that place tasks: may this job be served, and one turn of serving it.

namespace berth::actions {

// Is there a group, and a queue that is open and valid? Otherwise no action can serve the job.
engine::Verdict has_standing(const engine::Session& session, const Job& job);

// Admitted (or no action admits) or the first of those alike that are kept out; valid, with
// standing. Records why not.
bool may_be_served(engine::Session& session, JobId id);

// ENQUEUE-8. The job has a place, or holds claims: it is admitted, if it was kept out.
void admit_if_kept_out(engine::Session& session, JobId id);
// The next job of those alike, if this turn of the job was also its admission; else invalid.
JobId next_kept_out(engine::Session& session, JobId id, bool was_kept_out);

class Near;

// A job's tasks that wait for their turn in one action.
struct Waiting {
  std::vector<TaskId> tasks;
  std::size_t next = 0;
  std::optional<Refusal> why;       // the first that found no node
  bool keeps_known_reason = false;  // keep the reason of an earlier action
  Near* near = nullptr;             // while they are tried near each other

  bool is_done() const { return next >= tasks.size(); }
};

enum class Turn {
  started,  // what was placed is in the plan, and the job may start or runs
  held,     // it holds claims, and starts when the room has been vacated
  put_off,  // it could start, and others come first
  refused,  // nothing happened, and the reason is recorded
};

// Places waiting tasks in one statement until the job may start; a job that may start already gets
// one more task. With `others_first`, it is put off instead. Steps ALLOCATE-3 to ALLOCATE-6 of
// docs/design/allocate.md.
Turn serve(engine::Session& session, JobId id, Waiting& waiting, bool others_first = false);

// Places them until the job may start. Returns how far it came.
std::size_t place_until_ready(engine::Session& session, JobId id, Waiting& waiting,
                              engine::Statement& statement);

Refusal refusal_of(JobId job, const engine::Verdict& verdict);

// Its queue starts jobs in their order (dequeueStrategy: fifo), and `first` has not started, so
// `job` waits.
engine::Verdict behind(const engine::Session& session, JobId job, JobId first);

}  // namespace berth::actions
