#pragma once

#include <string>
#include <vector>

#include "berth/model/objects.h"
#include "tools/live/api_reader.h"
#include "tools/live/live_job.h"

namespace berth::tools {

// One of its pods, that has not ended.
void note_limit(const PodObject& pod, LiveLimits& limits);

// Asks for the Jobs that control pods of these jobs: one request each, as many as there are jobs at
// most. Without an answer, nothing is known.
void add_job_deadlines(ApiReader& reader, const std::string& name_space,
                       std::vector<LiveJob>& jobs);

// "2h (its pods state it, and nobody enforces it)"; empty: none.
std::string limit_text(const LiveJob& job);
// "3h from 2026-11-21T09:00:00Z, until 2026-11-21T12:00:00Z (...)"; empty: none.
std::string deadline_text(const LiveJob& job);

}  // namespace berth::tools
