#pragma once

#include <string>
#include <vector>

#include "tools/live/live_job.h"
#include "views/text_table.h"

namespace berth::tools {

// "45s", "37m", "5h", "3d": the largest unit that gives two or more, as kubectl writes ages.
std::string age_text(Duration age);

// A row for each job; `has_namespaces` adds their namespace. The last column is cut to the width.
std::string jobs_table(const std::vector<LiveJob>& jobs, bool has_namespaces, TimePoint now,
                       const views::TextStyle& style);

// In words, the next step of somebody whose job waits for its reason; empty: to wait, or unknown.
std::string remedy_of(const LiveJob& job);

// One job in full.
std::string why_text(const LiveJob& job, TimePoint now, const views::TextStyle& style);

}  // namespace berth::tools
