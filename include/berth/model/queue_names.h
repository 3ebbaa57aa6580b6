#pragma once

#include <map>
#include <set>
#include <string>
#include <utility>

#include "berth/base/look_up.h"
#include "berth/model/queue.h"

namespace berth {

// The queues by their names, and by those of their parents.
class QueueNames {
 public:
  void add(const Queue& queue) {
    by_name_[queue.name] = queue.id;
    by_parent_.emplace(queue.parent, queue.id);
  }
  void remove(const Queue& queue) {
    if (find(queue.name) == queue.id) by_name_.erase(queue.name);
    by_parent_.erase({queue.parent, queue.id});
  }
  QueueId find(const std::string& name) const { return value_or(by_name_, name); }
  // Calls `each` with the queues that name this parent.
  template <class Each>
  void below(const std::string& parent, const Each& each) const {
    auto next = by_parent_.lower_bound({parent, QueueId(0)});
    for (; next != by_parent_.end() && next->first == parent; ++next) each(next->second);
  }

 private:
  std::map<std::string, QueueId> by_name_;
  std::set<std::pair<std::string, QueueId>> by_parent_;
};

}  // namespace berth
