#pragma once

#include <string>
#include <vector>

#include "support/laws.h"

namespace berth::support {

// The rules that a plan breaks of the limits of evictions a minute and of the minimum run times:
// rules LIMIT-1, LIMIT-2 and RUNTIME-1 to RUNTIME-3 of docs/design.
std::vector<std::string> broken_eviction_limits(const Cluster& before, const Plan& plan,
                                                const LawBook& book, TimePoint now);

}  // namespace berth::support
