#pragma once

#include <optional>

#include "berth/base/clock.h"

namespace berth {

// The user's terms on evictions of a pod, on the pod or on its PodGroup.
struct EvictionTerms {
  std::optional<bool> preemptable;   // volcano.sh/preemptable; nowhere: true
  std::optional<Duration> cooldown;  // volcano.sh/cooldown-time: how long it first has its node
  bool are_empty() const { return !preemptable && !cooldown; }
  bool operator==(const EvictionTerms&) const = default;
};

}  // namespace berth
