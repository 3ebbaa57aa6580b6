#pragma once

#include <string>

#include "berth/base/result.h"
#include "history/recording.h"
#include "traces/trace.h"

namespace berth::history {

inline constexpr const char* kFilePrefix = "history-";
inline constexpr const char* kFileSuffix = ".jsonl";

// A directory, or a file that begins as a recording does.
bool is_recording(const std::string& path);

// The files of a directory in the order of their names, or one file, also packed by gzip. Rules
// HISTORY-8 to HISTORY-11. `most`: so many jobs.
Result<Recording> read_recording(const std::string& path, const traces::ReadOptions& options = {});

}  // namespace berth::history
