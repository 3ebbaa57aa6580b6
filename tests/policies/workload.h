#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "policies/reference.h"

// Traces of jobs from seeds. A seed gives the same trace on every platform.

namespace berth::policies {

struct Trace {
  std::vector<RefJob> jobs;
  std::int64_t nodes = 0;
};

enum class TraceKind : std::uint8_t {
  tiny,  // up to 12 jobs in 8 s on up to 4 nodes: many ties, lengths of 0, jobs that are too large
  medium,  // 20 to 80 jobs on 8 to 64 nodes, in bursts; run times below and above limits
  early,   // medium; a job runs for a random share of its limit
  exact,   // medium; a job runs for its limit
};
inline constexpr std::array kTraceKinds{TraceKind::tiny, TraceKind::medium, TraceKind::early,
                                        TraceKind::exact};

Trace random_trace(std::uint64_t seed, TraceKind kind);

// The model of Lublin and Feitelson (2003) without types of jobs, on a machine of 2 nodes or more.
// Gaps between arrivals are `gap_percent` of the model's, so less is more load. Limits are made
// from run times as users choose them: a multiple of the run time, rounded up to a usual value;
// those of one job in twenty are below its run time.
Trace lublin_trace(std::uint64_t seed, std::size_t jobs, std::int64_t nodes,
                   std::int64_t gap_percent = 100);

// In percent: what the jobs use of the nodes' time from the first arrival to the last.
std::int64_t offered_load(const Trace& trace);

}  // namespace berth::policies
