#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "berth/base/strong_id.h"
#include "berth/model/resources.h"

namespace berth::engine {

// An answer or an abstention. An empty set of victims is an answer ("nobody").
template <class T>
using Opinion = std::optional<T>;

inline constexpr std::nullopt_t no_opinion = std::nullopt;

// The part that a running job can give: its surplus, pod by pod, or all that it has, together.
struct JobPart {
  JobId job;
  enum class Kind : std::uint8_t { surplus, whole } kind = Kind::surplus;
  bool operator==(const JobPart&) const = default;
};
// Candidates for eviction. An opinion keeps their order.
using PartSet = std::vector<JobPart>;

// Tasks of one job that leave together.
struct Leaving {
  JobId job;  // invalid: one pod that is in none
  std::span<const TaskId> tasks;
};

// The job that a node is vacated for; or the queue that has the node of its own.
struct Claimant {
  JobId job;
  // The resources that the node is short of for the claimant's pods, and the amounts they ask for.
  std::span<const std::pair<Dimension, std::int64_t>> lacks;
  bool is_strict = false;  // no queue is to lose any of what it deserves
  QueueId queue = {};      // if there is no job
};

// A job that should become a target, and the reason for its user.
struct Nomination {
  JobId job;
  std::string why;
  JobId displaces;  // a target that ends for it; invalid: none
};

}  // namespace berth::engine
