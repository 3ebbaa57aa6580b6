#pragma once

#include <optional>
#include <string>
#include <vector>

#include "berth/base/result.h"
#include "tools/when/cases.h"
#include "tools/when/forecast.h"

// Changes that may let a job start earlier, before they are tried.

namespace berth::tools {

struct SearchBounds {
  std::int32_t nodes = 128;  // of one kind
  std::size_t kinds = 8;     // of nodes, the most frequent
  std::size_t jobs = 24;     // that wait, and as many that run, to move away
  std::size_t limits = 8;    // of other jobs
  std::size_t simulations = 300;
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
                                  const Forecast& before, Cases& cases, const SearchBounds& bounds);

}  // namespace berth::tools
