#pragma once

#include <cstdint>
#include <optional>

#include "history/recording.h"
#include "tools/simulate/machine.h"

// Jobs that were recorded, or are in a dump, as they are run.

namespace berth::tools {

struct RunTimes {
  std::optional<Duration> unknown;  // of jobs of which nobody knows it; none: such a job is a fault
  bool of_dump = false;        // what runs and has no end stays; else it ends with the recording
  bool may_never_end = false;  // of a dump: so does what waits, in place of a fault
};

// In the order of their coming. An Error names a job of a dump whose run time nobody knows; those
// of a recording are left out, and counted in `left_out`.
Result<Workload> workload_of(const history::Recording& recording,
                             const std::vector<NodeObject>& nodes, const RunTimes& times,
                             std::int64_t& left_out);

// The jobs and queues of both, by submission. Of queues of one name, the first counts.
Workload joined(Workload first, Workload second);

}  // namespace berth::tools
