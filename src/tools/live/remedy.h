#pragma once

#include <string>

#include "tools/live/live_job.h"

namespace berth::tools {

// In words, the next step of somebody whose job waits for its reason; empty: to wait, or unknown.
std::string remedy_of(const LiveJob& job);

}  // namespace berth::tools
