#pragma once

#include <string>
#include <vector>

#include "support/laws.h"

namespace berth::support {

// Bound or running.
inline bool runs(const Task& task) {
  return task.status == TaskStatus::bound || task.status == TaskStatus::running;
}

// The laws of the actions preempt, reclaim, cleanup and shuffle, as broken_laws (laws.h).
std::vector<std::string> broken_eviction_laws(const Cluster& before, const Plan& plan,
                                              const LawBook& book, TimePoint now);

}  // namespace berth::support
