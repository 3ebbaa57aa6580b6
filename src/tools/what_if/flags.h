#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "berth/base/clock.h"
#include "berth/base/result.h"

// Flags of changes of a cluster that a user asks about.

namespace berth::tools {

// Longer times from now on are refused.
inline constexpr Duration kLongestTime = std::chrono::hours(24 * 366 * 10);

inline constexpr const char* kAddNodes = "--add-nodes";
inline constexpr const char* kRemoveNode = "--remove-node";
inline constexpr const char* kDrain = "--drain";
inline constexpr const char* kCordon = "--cordon";
inline constexpr const char* kWithoutJob = "--without-job";
inline constexpr const char* kTimeLimit = "--time-limit";

struct WhatIf {
  std::vector<std::string> add_nodes;     // "4:like=n1", "4:like=n1@+2h"
  std::vector<std::string> remove_nodes;  // names
  std::vector<std::string> drains;        // "n1", "n1@+2h", "n1@2026-11-28T12:00:00Z"
  std::vector<std::string> cordons;       // names
  std::vector<std::string> without_jobs;  // namespace/name
  std::vector<std::string> time_limits;   // "namespace/name=2h"
  std::vector<std::string> set;           // as VariantFlags has them

  bool is_empty() const { return texts().empty(); }
  std::vector<std::string> texts() const;  // as they were given: "--cordon n1"
};

void declare_what_if(CLI::App& command, WhatIf& flags);  // without these two:
void declare_what_if_limits(CLI::App& command, WhatIf& flags);
void declare_what_if_set(CLI::App& command, WhatIf& flags);

// Nodes of a flag, and when: from the first, if it says no time.
struct TimedNode {
  std::string name;
  std::optional<TimePoint> at;
};

struct NewNodes {
  std::int32_t count = 0;
  TimedNode like;
};

// "+2h", or RFC 3339. An Error names the flag, and a time before `now`.
Result<TimePoint> read_time_from(const std::string& text, TimePoint now, const char* flag);
// "n1@+2h". An Error names the flag, and a time before `now`.
Result<TimedNode> read_timed_node(const std::string& text, TimePoint now, const char* flag);
// "4:like=n1@+2h"
Result<NewNodes> read_new_nodes(const std::string& text, TimePoint now);

}  // namespace berth::tools
