#pragma once

#include <cstdint>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "results/measures.h"

namespace berth::results {

inline JobResult ended(std::string id, double submit, double start, double end, double size = 1) {
  return {.id = std::move(id),
          .submit = submit,
          .start = start,
          .end = end,
          .run = end - start,
          .size = size};
}

inline RunResult run_of(std::vector<JobResult> jobs, double nodes, double until = 1000) {
  return {.name = "easy", .nodes = nodes, .jobs = std::move(jobs), .simulated_until = until};
}

// Four nodes: the example of docs/design/results.md.
inline RunResult three_jobs() {
  return run_of({ended("a", 0, 0, 100, 4), ended("b", 0, 150, 250, 4), ended("c", 10, 100, 150, 1)},
                4);
}

// A trace by chance: each job starts at once or later, some never, on nodes that suffice or not.
inline RunResult run_by_chance(std::uint64_t seed, std::size_t count, double nodes = 64) {
  std::mt19937_64 random(seed);
  const auto below = [&](std::uint64_t most) { return static_cast<double>(random() % most); };
  RunResult run = run_of({}, nodes, 200'000);
  for (int i = 0; i < static_cast<int>(nodes); ++i) {
    run.node_names.push_back("n" + std::to_string(i));
  }
  for (std::size_t i = 0; i < count; ++i) {
    JobResult job{.id = "job-" + std::to_string(i),
                  .user = "user-" + std::to_string(random() % 7),
                  .queue = "queue-" + std::to_string(random() % 3)};
    job.submit = below(100'000);
    job.run = below(5'000);
    job.size = 0.5 + below(8);
    const std::uint64_t fate = random() % 20;
    if (fate == 0) {
      job.was_cancelled = true;
      if (random() % 2 == 0) job.end = job.submit + below(1'000);
    } else if (fate > 1) {
      job.start = job.submit + (random() % 3 == 0 ? 0 : below(9'000));
      if (fate > 2) job.end = *job.start + job.run;
      job.nodes.emplace_back(static_cast<std::int32_t>(random() % 64), 1.0);
    }
    run.jobs.push_back(std::move(job));
  }
  return run;
}

// Inputs that no simulation should bring.
std::vector<RunResult> odd_runs();

}  // namespace berth::results
