#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

// Three classic policies of batch schedulers on identical nodes, slow and plain, for comparison.
// They share no code with src/.
//
// A job runs for min(run, limit); plans count with its limit. The line is in the order of
// submission, at one time in the order of the vector. A plan counts with a second at least, so that
// a job with a limit of 0 has its nodes to itself. At one instant jobs end, then jobs arrive,
// then jobs start; ends and starts are repeated until nothing more starts. A job that asks for more
// nodes than there are never starts, and is in nobody's way. Sums of times must not overflow.

namespace berth::policies {

struct RefJob {
  std::int64_t submit = 0;  // in seconds, as all times
  std::int64_t run = 0;
  std::int64_t limit = 0;
  std::int64_t nodes = 0;
  bool operator==(const RefJob&) const = default;
};

using Starts = std::vector<std::optional<std::int64_t>>;

// `job` starts at `start` at the latest, as known at `now`.
struct Promise {
  std::int64_t now = 0;
  std::size_t job = 0;
  std::int64_t start = 0;
  bool operator==(const Promise&) const = default;
};
using OnPromise = std::function<void(const Promise&)>;

// Only the head of the line starts.
Starts fcfs(const std::vector<RefJob>& jobs, std::int64_t nodes);

// Lifka 1995; Mu'alem and Feitelson 2001. Heads start while they fit. The next head's shadow is the
// time when enough nodes are free if running jobs end at their limits; more than enough are extra.
// Others, in their order, start if they end by the shadow, or take only extra nodes. Promises are
// the shadows, at each decision.
Starts easy(const std::vector<RefJob>& jobs, std::int64_t nodes, const OnPromise& look = {});

// Each job has a promised interval from its arrival on: the earliest that is free beside running
// jobs and promises. When a job ends before its limit, all promises are made anew, in the order of
// their starts, then of arrival; none becomes later. Promises are those of arrival and the new
// ones.
Starts conservative(const std::vector<RefJob>& jobs, std::int64_t nodes,
                    const OnPromise& look = {});

}  // namespace berth::policies
