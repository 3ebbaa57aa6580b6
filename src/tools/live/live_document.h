#pragma once

#include <string>
#include <vector>

#include "tools/live/live_job.h"

namespace berth::tools {

// The JSON documents of docs/output.md, with a line feed at the end.

// Kind Jobs. An empty namespace: all.
std::string write_jobs(const std::string& name_space, const std::vector<LiveJob>& jobs,
                       const std::vector<std::string>& notes);

// Kind Why. `asked`: as the user wrote it.
std::string write_why(const std::string& name_space, const std::string& asked,
                      const std::vector<LiveJob>& jobs, const std::vector<std::string>& notes);

}  // namespace berth::tools
