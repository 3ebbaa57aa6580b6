#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "berth/base/result.h"
#include "traces/bytes.h"
#include "traces/trace.h"

// The lists of pods and nodes of Alibaba's cluster-trace-gpu-v2023 ("openb"): CSV with names of
// columns in the first line, plain or packed by gzip. The rules are in docs/design/traces.md.
//
// Amounts are whole numbers: kCpu in milli-CPUs, kMemory in bytes, kGpu in GPUs, and kGpuMilli in
// thousandths of a GPU. A node has both amounts of GPUs:
//
//   pod with n whole GPUs       kGpu n, kGpuMilli 1000 n
//   pod with a part of one      kGpuMilli alone, 1 to 999
//   node with n GPUs            kGpu n, kGpuMilli 1000 n
//
// So pods of both sorts never take more of a node than it has. The sum does not show that a part
// must come from one GPU. A reader of whole GPUs only leaves kGpuMilli out.

namespace berth::traces {

inline constexpr const char* kCpu = "cpu";
inline constexpr const char* kMemory = "memory";
inline constexpr const char* kGpu = "nvidia.com/gpu";
inline constexpr const char* kGpuMilli = "berth.dev/gpu-milli";

// Jobs of one pod each: `queue` is the class of quality of service, such as "LS".
Result<Trace> read_openb_pods_file(const std::string& path, const ReadOptions& options = {});
Result<Trace> read_openb_pods(ByteSource& bytes, std::string_view file,
                              const ReadOptions& options = {});

struct OpenbNode {
  std::string name;
  std::map<std::string, std::int64_t> amounts;  // none is 0
  std::string model;                            // of its GPUs; empty: it has none

  bool operator==(const OpenbNode&) const = default;
};

// In the order of the file.
Result<std::vector<OpenbNode>> read_openb_nodes_file(const std::string& path);
Result<std::vector<OpenbNode>> read_openb_nodes(ByteSource& bytes, std::string_view file);

}  // namespace berth::traces
