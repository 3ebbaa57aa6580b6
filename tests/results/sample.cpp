#include "results/sample.h"

#include <limits>

namespace berth::results {

std::vector<RunResult> odd_runs() {
  constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
  constexpr double kInfinite = std::numeric_limits<double>::infinity();
  constexpr double kLargest = std::numeric_limits<double>::max();
  std::vector<RunResult> runs;
  runs.push_back({});
  runs.push_back(run_of({}, 10));
  runs.push_back(run_of({{.id = "cancelled", .was_cancelled = true}}, 10));
  runs.push_back(run_of({{.id = "never"}}, 10));
  runs.push_back(run_of({ended("no-nodes", 0, 10, 20)}, 0));
  runs.push_back(run_of({ended("no-time", 5, 5, 5)}, 10));
  runs.push_back(run_of({ended("backwards", 100, 50, 20)}, 10));
  runs.push_back(run_of({{.id = "runs", .submit = 7, .start = 8}}, 10, 0));
  runs.push_back(run_of({ended("many", 0, 5, 10, -4), ended("more", 0, kNan, kInfinite)}, kNan));
  runs.push_back(run_of({ended("large", -kLargest, kLargest, kLargest, kLargest)}, kLargest));
  runs.push_back(run_of({{.id = "odd",
                          .submit = kNan,
                          .start = -kInfinite,
                          .end = kNan,
                          .run = kInfinite,
                          .limit = kNan,
                          .size = kInfinite,
                          .evictions = -3,
                          .lost = kNan,
                          .was_cancelled = true,
                          .nodes = {{-1, kNan}, {2'000'000'000, kInfinite}, {0, -1}},
                          .earlier_runs = {{kNan, kInfinite}, {5, 3}}}},
                        kInfinite, kNan));
  runs.back().seconds_of_computing = kNan;
  runs.back().idle_reserved = kInfinite;
  return runs;
}

}  // namespace berth::results
