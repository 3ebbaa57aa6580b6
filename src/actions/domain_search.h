#pragma once

#include <functional>
#include <vector>

#include "berth/engine/session.h"
#include "berth/engine/statement.h"

namespace berth::actions {

// RELATION-9. The domains in which the job may start whose waiting tasks want others of them near,
// and no pod that they want is there yet. First the one with the best node, then by score and name.
// At most 64; only domains with idle room for as many as the minimum needs of them. Empty: there is
// no such task.
std::vector<engine::Start> domains_to_start_in(engine::Session& session, const Job& job,
                                               const std::vector<TaskId>& waiting);

// Places the job in each of these domains with `attempt`, until that says that the job may start;
// it is called with a start. Where several groups of the tasks want a domain each, the first task
// of one is placed there, and domains of the next are tried. True: the job may start. Otherwise the
// statement is as before.
bool search_domains(engine::Session& session, const Job& job, const std::vector<TaskId>& waiting,
                    engine::Statement& statement, const std::function<bool()>& attempt);

}  // namespace berth::actions
