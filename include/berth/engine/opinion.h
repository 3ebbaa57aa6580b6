#pragma once

#include <optional>
#include <string>
#include <vector>

#include "berth/base/strong_id.h"

namespace berth::engine {

// An answer or an abstention. An empty set of victims is an answer ("nobody"), not an abstention.
template <class T>
using Opinion = std::optional<T>;

inline constexpr std::nullopt_t no_opinion = std::nullopt;

// Candidates for eviction, in the order in which they would be asked to leave.
using TaskSet = std::vector<TaskId>;

// A job that should be a target, and why, in words for its user.
struct Nomination {
  JobId job;
  std::string why;
  JobId displaces;  // a target that gives way; invalid: there is a free place
};

}  // namespace berth::engine
