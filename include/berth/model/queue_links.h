#pragma once

#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "berth/model/queue.h"

namespace berth {

// Keeps `above` of a cluster's queues, which name their parents. One that is its own parent, or
// comes above itself by others, has none above it, so each walk upwards ends (QUEUE-1).
class QueueLinks {
 public:
  // The queue is there with this name and this parent.
  void add(std::vector<Queue>& queues, QueueId id);
  // It is still there; its name or its parent is about to change, or it goes.
  void remove(std::vector<Queue>& queues, QueueId id);

 private:
  QueueId parent_of(const Queue& queue) const;
  template <class Each>
  void for_children(const std::string& parent, const Each& each) const;

  std::map<std::string, QueueId> by_name_;
  std::set<std::pair<std::string, QueueId>> by_parent_;
};

}  // namespace berth
