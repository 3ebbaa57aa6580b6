#pragma once

#include <vector>

#include "berth/engine/session.h"

// Idle room beyond shares: rule PROPORTION-9 of docs/design/proportion.md.

namespace berth::actions {

// Is there an action that takes it back, and a plugin that lends?
bool is_idle_room_lent(engine::Session& session);

// Such room is lent. Could the job be evicted for a job of another queue as soon as it runs? Of a
// job that has its minimum, its surplus could. Its queue is not asked about.
bool may_leave_again(engine::Session& session, const Job& job);

// Without critical pods, and those that their users keep from being evicted, or so soon.
void keep_those_that_may_leave(const engine::Session& session, std::vector<TaskId>& tasks);

}  // namespace berth::actions
