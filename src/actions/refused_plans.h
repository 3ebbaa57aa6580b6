#pragma once

#include <string>

#include "berth/engine/session.h"
#include "berth/engine/statement.h"

// Jobs whose last plans kube-scheduler refused (docs/design/hints.md).

namespace berth::actions {

// HINT-4. Refuses while the job waits after a failed attempt.
engine::Verdict may_be_tried(engine::Session& session, const Job& job);

// HINT-5. Whether the places of the job, as they are now, are those of a plan that was refused, and
// may not come again yet.
bool is_refused_plan(engine::Session& session, const Job& job);

// HINT-5. The job may start by what the innermost statement has done since `begin`. If its places
// are those of a plan that was refused, the task that was placed last gets another node. Refuses if
// each node would make it such a plan.
engine::Verdict differ_from_refused(engine::Session& session, const Job& job,
                                    engine::Statement& statement,
                                    engine::Statement::Checkpoint begin);

}  // namespace berth::actions
