#pragma once

#include <string>
#include <vector>

#include "support/laws.h"

namespace berth::support {

// The laws of reservations that a plan breaks: nobody else on a locked node, no node locked twice
// or for nobody, no more targets and locks than may be.
std::vector<std::string> broken_lock_laws(const Cluster& before, const Plan& plan,
                                          const LawBook& book);

// Nodes that are locked after the session, and were so for the same job when it began, by target.
std::vector<JobId> locks_throughout(const Cluster& before, const Plan& plan);

}  // namespace berth::support
