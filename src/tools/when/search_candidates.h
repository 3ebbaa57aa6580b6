#pragma once

#include <optional>
#include <string>
#include <vector>

#include "berth/base/result.h"
#include "tools/when/cases.h"
#include "tools/when/forecast.h"

// Changes that may let a job start earlier, before they are tried.

namespace berth::tools {

// The most that is tried.
struct SearchBounds {
  static constexpr std::int32_t kNodes = 128;  // of one kind
  static constexpr std::size_t kKinds = 8;     // of nodes, the most frequent
  static constexpr std::size_t kJobs = 24;     // that wait, and as many that run, to move away
  static constexpr std::size_t kLimits = 8;    // of other jobs
  static constexpr std::size_t kSimulations = 300;
};

struct LimitCandidate {
  std::string job;
  Duration limit{};
  Duration least{};  // a lower one means nothing
};

struct MoveCandidate {
  std::string job;
  double lost = 0;  // nodes times seconds, if it is stopped now
};

struct Candidates {
  std::optional<LimitCandidate> own_limit;
  std::vector<LimitCandidate> limits;  // of others, the largest jobs first
  std::vector<MoveCandidate> waiting;  // that start before it as it is, the largest first
  std::vector<MoveCandidate> running;  // by the work that they would lose
  std::vector<std::string> kinds;      // a node of each kind that holds a pod of the job
};

// `before`: the forecast with the changes `base`.
Result<Candidates> candidates_for(const std::string& job, const WhatIf& base,
                                  const Forecast& before, Cases& cases);

}  // namespace berth::tools
