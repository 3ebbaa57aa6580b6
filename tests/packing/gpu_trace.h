#pragma once

#include <cstdint>
#include <string>
#include <vector>

// Alibaba's GPU cluster of 2023 and the pods of its lists (testdata/README.md).

namespace berth::support {

struct TraceNode {
  std::int64_t cpu = 0;     // milli-cpu
  std::int64_t memory = 0;  // MiB
  std::int64_t gpus = 0;
  std::string model;  // "-": none
};

struct TraceKind {
  std::int64_t cpu = 0;
  std::int64_t memory = 0;
  std::int64_t gpus = 0;
  std::vector<std::string> models;  // none: any will do
  std::int64_t pods = 0;

  bool may_run_on(const TraceNode& node) const;
};

// Pods that are alike and start together.
struct TraceJob {
  std::size_t kind = 0;
  int pods = 1;
};

std::vector<TraceNode> trace_nodes();
std::vector<TraceKind> trace_kinds(const std::string& list);
std::int64_t gpus_of(const std::vector<TraceNode>& nodes);

// Drawn with replacement until they ask for 120 % of `gpus`. With `gangs`, three of ten jobs have 2
// to 8 pods.
std::vector<TraceJob> draw(const std::vector<TraceKind>& kinds, std::uint64_t seed,
                           std::int64_t gpus, bool gangs);

enum class Policy : std::uint8_t {
  best_fit,       // the fewest GPUs left, then the least cpu
  dot_product,    // of what is idle and what is asked for, the smallest
  packing,        // the largest part used: cpu 1, memory 1, GPUs 5
  fragmentation,  // Weng et al., USENIX ATC 2023, for whole GPUs
};

// GPUs in use in the end, where each job in turn starts at once or never.
std::int64_t place_by(Policy policy, const std::vector<TraceNode>& nodes,
                      const std::vector<TraceKind>& kinds, const std::vector<TraceJob>& jobs);

}  // namespace berth::support
