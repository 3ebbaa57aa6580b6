#pragma once

#include <vector>

#include "policies/reference.h"

// The policies once more, second by second from 0 and by trying, for tiny traces.

namespace berth::policies {

// A job other than the head starts if the head could start as early after it.
Starts easy_by_seconds(const std::vector<RefJob>& jobs, std::int64_t nodes);

// In every second and after each end, every waiting job in turn is taken out and put back, while
// all others keep their promises.
Starts conservative_by_seconds(const std::vector<RefJob>& jobs, std::int64_t nodes);

}  // namespace berth::policies
