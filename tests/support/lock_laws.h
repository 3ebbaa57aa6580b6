#pragma once

#include <string>
#include <vector>

#include "support/laws.h"

namespace berth::support {

// The laws of reservations that a plan breaks. Only a target's pods use its nodes; each lock has
// one target; the numbers of targets and locks are limited.
std::vector<std::string> broken_lock_laws(const Cluster& before, const Plan& plan,
                                          const LawBook& book);

// Nodes that are locked for the same job before and after the session, by target.
std::vector<JobId> locks_throughout(const Cluster& before, const Plan& plan);

}  // namespace berth::support
