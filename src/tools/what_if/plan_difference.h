#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "simulation/report.h"
#include "views/text_table.h"

// How two plans differ.

namespace berth::tools {

struct PlanDifference {
  struct Job {
    std::string job;
    std::string queue;
    std::int32_t placed = 0, placed_before = 0;         // tasks, after the last cycle
    std::optional<std::size_t> starts, started_before;  // in which cycle its minimum is placed
  };
  std::vector<std::string> changes;  // as the user gave them
  std::vector<Job> jobs;             // that differ, by name
  // Evictions only with the changes, and only without.
  std::vector<simulation::EvictionRow> more, fewer;
};

// With the changes, and before.
PlanDifference difference_of(const simulation::Report& with, const simulation::Report& before,
                             std::vector<std::string> changes);

// A summary, and a row for each job that differs.
std::string difference_table(const PlanDifference& difference, views::TextStyle style);

}  // namespace berth::tools
