#pragma once

#include <vector>

#include "berth/engine/session.h"

namespace berth::engine {

// The one definition of surplus (S4): the placed tasks of a job beyond its minimum and those of its
// roles. The first to leave comes first: the last in task order, then of the highest index. Once
// the first has left, the others are the surplus that is left.
std::vector<TaskId> surplus_of(const Session& session, const Job& job);

// How many there are.
std::int32_t surplus_count(const Job& job);

}  // namespace berth::engine
