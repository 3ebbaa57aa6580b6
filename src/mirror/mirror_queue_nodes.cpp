#include <utility>

#include "mirror/mirror.h"

// The nodes of queues. They are read from labels at the start and while another berthd leads.
// Otherwise the session decides them (docs/design/node-reservation.md).

namespace berth::mirror {

void Mirror::read_queue_lock(const NodeObject& object, bool is_first) {
  if (!is_first && !follows_api_phases_) return;
  const auto held = queue_locks_.find(object.name);
  if (object.locked_for_queue.empty()) {
    if (held == queue_locks_.end()) return;
    queue_locks_.erase(held);
  } else {
    HeldLock fresh{object.locked_for_queue, object.locked_for_queue_since.value_or(TimePoint())};
    if (held != queue_locks_.end() && held->second == fresh) return;
    queue_locks_[object.name] = std::move(fresh);
  }
  locks_changed_ = true;
}

QueueLock Mirror::resolved_queue_lock(const std::string& node) const {
  const auto held = queue_locks_.find(node);
  if (held == queue_locks_.end()) return {};
  const auto& [value, since] = held->second;
  if (const auto named = queues_.find(value); named != queues_.end()) {
    return {named->second, since};
  }
  for (const auto& [name, id] : queues_) {
    if (queue_lock_value(name, cluster_.queue(id).uid) == value) return {id, since};
  }
  return {};  // the queue is gone, or has not been seen yet
}

void Mirror::assume_queue_nodes(const Plan& plan, TimePoint now) {
  if (plan.has_relocked) cluster_.note_relocking(plan.queue_nodes, now);
  std::map<std::string, HeldLock> locks;
  for (const auto& [queue, nodes, choice] : plan.queue_nodes) {
    const Queue& owner = cluster_.queue(queue);
    const std::string value = queue_lock_value(owner.name, owner.uid);
    for (const NodeId id : nodes) {
      const Node& node = cluster_.node(id);
      const bool is_old = node.queue_lock.queue == queue;
      locks[node.name] = {value, is_old ? node.queue_lock.since : now};
    }
  }
  if (locks == queue_locks_) return;
  queue_locks_ = std::move(locks);
  locks_changed_ = true;
  settle_locks();
}

void Mirror::forget_nodes_of(QueueId queue) {
  std::erase_if(queue_locks_,
                [&](const auto& each) { return resolved_queue_lock(each.first).queue == queue; });
}

}  // namespace berth::mirror
