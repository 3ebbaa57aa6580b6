#pragma once

#include <string>
#include <vector>

#include "support/laws.h"

namespace berth::support {

// The laws of the action reclaim and of queues' shares, as broken_laws (laws.h): the evictions of
// the plan, replayed one after the other.
std::vector<std::string> broken_reclaim_laws(const Cluster& before, const Plan& plan,
                                             const LawBook& book);

}  // namespace berth::support
