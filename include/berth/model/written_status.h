#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "berth/base/clock.h"

// The statuses that we write, as the API has them: ours, if nobody else wrote. Plain values.

namespace berth {

// Names and amounts as written by a user: names are Kubernetes resource names ("cpu",
// "nvidia.com/gpu"), amounts in the units of D4 (milli-cpu, bytes, one unit for all others).
using NamedAmounts = std::map<std::string, std::int64_t>;

struct WrittenCondition {
  bool holds = false;
  std::string reason;  // CamelCase; empty: there is no such condition
  std::string message;
  TimePoint since;  // when it began or ceased to hold
  bool operator==(const WrittenCondition&) const = default;
};

// Of a PodGroup.
struct WrittenStatus {
  std::int32_t running = 0;
  std::int32_t succeeded = 0;
  std::int32_t failed = 0;
  bool is_scheduled = false;  // condition Scheduled
  TimePoint scheduled_since;  // when that became so
  TimePoint waits_since;      // when condition Unschedulable began or ceased to hold
  std::string reason;         // of condition Unschedulable, while it holds
  std::string message;
  WrittenCondition targeted;  // condition Targeted
  WrittenCondition honoured;  // condition Honoured
  bool operator==(const WrittenStatus&) const = default;
};

// Of a Queue. Amounts that are 0 are left out.
struct WrittenQueueStatus {
  bool has_state = false;    // whatever it is
  std::int32_t pending = 0;  // pod groups by phase
  std::int32_t inqueue = 0;
  std::int32_t running = 0;
  std::int32_t unknown = 0;
  std::int32_t completed = 0;
  NamedAmounts allocated;
  NamedAmounts deserved;
  NamedAmounts guarantee;  // in force
  NamedAmounts real_capability;
  WrittenCondition ready;     // condition Ready
  WrittenCondition scaled;    // condition GuaranteeScaled
  WrittenCondition honoured;  // condition Honoured; without a reason: everything is
  bool operator==(const WrittenQueueStatus&) const = default;
};

}  // namespace berth
