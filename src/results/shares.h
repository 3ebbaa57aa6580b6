#pragma once

#include <string>
#include <vector>

#include "results/job_times.h"
#include "results/measures.h"

namespace berth::results {

// RESULT-9. `owner` is the user or the queue of a job. One owner alone has no share: zeros.
Shares shares_of(const std::vector<JobTimes>& jobs, std::string JobResult::*owner, double nodes);

}  // namespace berth::results
