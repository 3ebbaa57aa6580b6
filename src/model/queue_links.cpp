#include "berth/model/queue_links.h"

#include <utility>

#include "berth/base/look_up.h"

namespace berth {

QueueId QueueLinks::parent_of(const Queue& queue) const {
  return queue.name == kRootQueue ? QueueId() : value_or(by_name_, queue.parent);
}

template <class Each>
void QueueLinks::for_children(const std::string& parent, const Each& each) const {
  auto next = by_parent_.lower_bound({parent, QueueId(0)});
  for (; next != by_parent_.end() && next->first == parent; ++next) each(next->second);
}

void QueueLinks::add(std::vector<Queue>& queues, QueueId id) {
  const auto above = [&](QueueId each) -> QueueId& { return queues[each.index()].above; };
  const Queue& queue = queues[id.index()];
  by_name_[queue.name] = id;
  by_parent_.emplace(queue.parent, id);
  above(id) = parent_of(queue);
  for_children(queue.name, [&](QueueId child) { above(child) = parent_of(queues[child.index()]); });
  // Other circles are cut already, so the way up ends, or it comes back here.
  QueueId at = above(id);
  while (at.is_valid() && at != id) at = above(at);
  while (at.is_valid()) at = std::exchange(above(at), QueueId());
}

void QueueLinks::remove(std::vector<Queue>& queues, QueueId id) {
  const auto above = [&](QueueId each) -> QueueId& { return queues[each.index()].above; };
  const Queue& queue = queues[id.index()];
  const QueueId parent = parent_of(queue);
  const bool is_on_circle = !above(id).is_valid() && parent.is_valid();
  for (QueueId at = parent; is_on_circle && at != id; at = above(at)) {
    above(at) = parent_of(queues[at.index()]);
  }
  if (value_or(by_name_, queue.name) == id) by_name_.erase(queue.name);
  by_parent_.erase({queue.parent, id});
  for_children(queue.name, [&](QueueId child) { above(child) = QueueId(); });
  above(id) = QueueId();
}

}  // namespace berth
