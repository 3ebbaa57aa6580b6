#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "berth/base/clock.h"

// The statuses that Berth writes, as the API shows them. Plain values.

namespace berth {

// Names and amounts of Kubernetes resources ("cpu", "nvidia.com/gpu"), in the units of D4
// (milli-cpu, bytes, one unit for all others).
using NamedAmounts = std::map<std::string, std::int64_t>;

struct WrittenCondition {
  bool holds = false;
  std::string reason;  // CamelCase; empty: the condition is absent
  std::string message;
  TimePoint since;  // the time of the last change of its state
  bool operator==(const WrittenCondition&) const = default;
};

// The position of a job among the jobs that wait for room, in the order in which they are served.
struct WaitingPosition {
  std::int32_t in_queue = 0;            // from 1; 0: it is in no order
  std::int32_t queue_waiting = 0;       // jobs in the order of its queue, itself included
  std::int32_t ahead = 0;               // of all queues
  std::int32_t ahead_in_namespace = 0;  // of these, in its namespace
  std::vector<std::string> names = {};  // of those, the first ten, without the namespace
  bool operator==(const WaitingPosition&) const = default;
};

// When a job that waits will start (docs/design/forecast.md). Whole seconds; none: not known.
struct WrittenStart {
  std::optional<TimePoint> starts_by;  // a promise, as long as all keep their time limits
  std::optional<TimePoint> likely_from, likely_to;
  bool operator==(const WrittenStart&) const = default;
};

// status.waiting of a PodGroup, besides what its condition Unschedulable says.
struct WrittenWaiting {
  std::string reason;  // code of the Reason; empty: there is no such field
  std::string queue;
  std::string position_text;  // for people; empty: it is in no order
  WaitingPosition position;
  WrittenStart start;
  bool operator==(const WrittenWaiting&) const = default;
};

// Stands between message and position_text in the condition and in the event.
inline constexpr std::string_view kBeforePosition = "; it is ";

inline std::string with_position(const std::string& message, const std::string& position) {
  return position.empty() ? message : message + std::string(kBeforePosition) + position;
}

// Of a PodGroup.
struct WrittenStatus {
  std::int32_t running = 0;
  std::int32_t succeeded = 0;
  std::int32_t failed = 0;
  bool is_scheduled = false;  // condition Scheduled: its minimum has its place
  TimePoint scheduled_since;  // when that last changed
  TimePoint waits_since;      // the last change of condition Unschedulable
  std::string reason;   // of that, in Volcano's words, while it holds; empty: it does not wait
  std::string message;  // the same in ours, with numbers, without the position
  WrittenWaiting waiting;
  WrittenCondition targeted;  // condition Targeted; without a reason: it never was a target
  WrittenCondition honoured;  // condition Honoured; no reason: all that its spec says is honoured
  bool operator==(const WrittenStatus&) const = default;
};

// The status of a Queue. Amounts of 0 are left out.
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
  WrittenCondition ready;                   // condition Ready
  WrittenCondition scaled;                  // condition GuaranteeScaled
  WrittenCondition honoured;                // condition Honoured; no reason: every field has effect
  std::vector<std::string> reserved_nodes;  // status.reservation.nodes, by name
  NamedAmounts reserved_idle;               // status.reservation.resource
  WrittenCondition reserved;  // condition NodesReserved; no reason: it asks for no nodes
  bool operator==(const WrittenQueueStatus&) const = default;
};

}  // namespace berth
