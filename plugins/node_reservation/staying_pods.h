#pragma once

#include <cstdint>
#include <vector>

#include "berth/engine/session.h"

namespace berth::plugins {

// The pods that stay on a node which is locked for a queue of others: rule NODES-7 of
// docs/design/node-reservation.md.
class StayingPods {
 public:
  enum class Count : std::uint8_t {
    all,    // Guaranteed: nobody has to leave. Best-Effort: as below
    now,    // Guaranteed: those that may not be evicted. Best-Effort: that run for ever
    always  // of these, those that neither end by themselves nor by a controller that is ours
  };

  explicit StayingPods(engine::Session& session);

  // Under that policy, pods of the queue itself included.
  bool stays(TaskId task, bool evicts, Count count) const;
  // The sum of those, by node.
  const AmountTable& on_nodes(bool evicts, Count count) const;

 private:
  bool may_be_evicted(const Task& task) const;
  bool is_within_guarantee(const Task& task, QueueId queue) const;
  void add_up();

  engine::Session& session_;
  const Cluster& cluster_;
  std::vector<std::uint8_t> is_evictable_;  // by task
  AmountTable all_;
  AmountTable guaranteed_now_;
  AmountTable guaranteed_always_;
  AmountTable best_effort_now_;
};

}  // namespace berth::plugins
