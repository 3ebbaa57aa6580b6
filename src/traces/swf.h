#pragma once

#include <string>
#include <string_view>

#include "berth/base/result.h"
#include "traces/bytes.h"
#include "traces/trace.h"

// The Standard Workload Format 2.x of the Parallel Workloads Archive: a line of 18 numbers for each
// job, with comments that begin with ";". The rules are in docs/design/traces.md. In short:
// - Processors and limit are what was requested; processors that are not known are the allocated.
// - Of a job with checkpoints, the line for the whole counts (status 0 or 1). Lines of its pieces
//   (status 2, 3 and 4) repeat parts of it, so they are left out and counted in Skipped::partial.
// - A job with status 5 that has not run was cancelled while it waited.
// - User, group and queue are numbers as in the trace.

namespace berth::traces {

struct SwfOptions : ReadOptions {
  // TRACE-9: a job that ran for longer than it asked for ends at its limit.
  bool ends_at_limit = true;
};

// A file, plain or packed by gzip.
Result<Trace> read_swf_file(const std::string& path, const SwfOptions& options = {});

// The same from other bytes; `file` is their name in an Error.
Result<Trace> read_swf(ByteSource& bytes, std::string_view file, const SwfOptions& options = {});

}  // namespace berth::traces
