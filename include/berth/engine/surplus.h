#pragma once

#include <vector>

#include "berth/engine/session.h"

namespace berth::engine {

// The one definition of surplus (S4): how many pods of a job run, or are bound to, beyond its
// minimum and those of its roles. Members that have succeeded run no more, and do not count. Each
// pod that leaves makes it one less.
std::int32_t surplus_count(const Job& job);

// How many of the role do, beyond its minimum. May be negative.
std::int32_t spare_of(const Role& role);

// May the task be one of them? False if there is none, or its role has but its minimum.
bool may_be_surplus(const Job& job, const Task& task);

// The tasks that may be, of which surplus_count() do not count for the minimum. The first to leave
// comes first: the last in task order, then of the highest index.
std::vector<TaskId> possible_surplus(const Session& session, const Job& job);

// The first surplus_count() of these that their users let leave.
std::vector<TaskId> surplus_of(const Session& session, const Job& job);

// Does it run, beyond its surplus, and may leave whole?
bool may_leave_whole(const Job& job);

// Appends the parts that a running job has: its surplus, and itself.
void append_parts(const Job& job, PartSet& parts);

}  // namespace berth::engine
