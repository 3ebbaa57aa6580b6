#pragma once

#include <optional>
#include <vector>

#include "berth/base/strong_id.h"

namespace berth::engine {

// An answer or an abstention. An empty set of victims is an answer ("nobody"), not an abstention.
template <class T>
using Opinion = std::optional<T>;

inline constexpr std::nullopt_t no_opinion = std::nullopt;

// Candidates for eviction, in the order in which they would be asked to leave.
using TaskSet = std::vector<TaskId>;

}  // namespace berth::engine
