#pragma once

#include <optional>
#include <string>
#include <vector>

#include "berth/base/strong_id.h"

namespace berth::engine {

// An answer or an abstention. An empty set of victims is an answer ("nobody").
template <class T>
using Opinion = std::optional<T>;

inline constexpr std::nullopt_t no_opinion = std::nullopt;

// Candidates for eviction, in the order of eviction.
using TaskSet = std::vector<TaskId>;

// A job that should become a target, and the reason for its user.
struct Nomination {
  JobId job;
  std::string why;
  JobId displaces;  // a target that ends for it; invalid: none
};

}  // namespace berth::engine
