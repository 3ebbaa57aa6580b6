#pragma once

#include <utility>

#include "ports/object_writer.h"

// The effect of a write on its object, as watches show it afterwards: for clusters in memory.

namespace berth::ports {

inline void apply(const NodeLock& lock, NodeObject& node) {
  node.locked_for = lock.locked_for;
  node.locked_since.reset();
  if (!lock.locked_for.empty()) node.locked_since = lock.since;
  node.has_lock_taint = lock.has_taint;
  node.locked_for_queue = lock.queue;
  node.locked_for_queue_since.reset();
  if (!lock.queue.empty()) node.locked_for_queue_since = lock.queue_since;
  node.has_queue_lock_taint = lock.has_queue_taint;
}

inline void apply(const TargetMarks& wanted, TargetMarks& marks) {
  const TargetMarks before = std::exchange(marks, wanted);
  keep_users_word(marks, before);
  if (!marks.first_seen) marks.first_seen = before.first_seen;
}

// Of a pod without a node.
inline void apply(const PodCondition& condition, PodObject& pod) {
  const WrittenCondition& scheduled = condition.scheduled;
  pod.not_scheduled = scheduled.reason;
  pod.unschedulable = scheduled.reason == "Unschedulable" ? scheduled.message : "";
}

}  // namespace berth::ports
