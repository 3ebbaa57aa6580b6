#pragma once

#include <optional>

#include "actions/eviction/policy.h"
#include "berth/engine/arguments.h"

namespace berth::actions {

// When the job got the last of the pods that its minimum needs. `max`: it has no pod on a node.
TimePoint runs_since(const Cluster& cluster, const Job& job);

// For how long after its start a job leaves whole for nobody: rules RUNTIME-1 to RUNTIME-6 of
// docs/design/min-run-time.md.
class MinRunTime {
 public:
  using OfQueue = std::optional<Duration> Queue::*;

  // Reads the argument min-run-time. `of_queue`: what a queue says of this action.
  MinRunTime(engine::Arguments& arguments, OfQueue of_queue);

  // May the job leave whole? If not yet, the session knows when that may change.
  engine::Verdict may_leave_whole(engine::Session& session, const Job& job) const;
  // Takes out jobs that may not leave yet.
  void protect(engine::Session& session, Parties& parties) const;

 private:
  Duration time_of(const Cluster& cluster, QueueId queue) const;

  Duration of_all_;
  OfQueue of_queue_;
};

}  // namespace berth::actions
