#include "berth/model/node_locks.h"

namespace berth {

namespace {

template <class Id>
void replace(Id& owner, Id by, std::size_t& count) {
  count -= owner.is_valid() ? 1 : 0;
  owner = by;
  count += owner.is_valid() ? 1 : 0;
}

template <class Id>
std::vector<NodeId> nodes_with(const std::vector<Id>& owners, Id owner, std::size_t count) {
  std::vector<NodeId> nodes;
  nodes.reserve(count);
  for (std::size_t n = 0; n < owners.size() && count > 0; ++n) {
    if (owners[n] == owner) nodes.emplace_back(n);
  }
  return nodes;
}

}  // namespace

void NodeLocks::reset(std::size_t nodes) {
  targets_.assign(nodes, JobId());
  queues_.assign(nodes, QueueId());
  of_queue_.clear();
  for_targets_ = for_queues_ = 0;
  touch();
}

void NodeLocks::set_target(NodeId node, JobId target) {
  replace(targets_[node.index()], target, for_targets_);
  touch();
}

void NodeLocks::set_queue(NodeId node, QueueId queue) {
  if (const QueueId before = queues_[node.index()]; before.is_valid()) --of_queue_[before.index()];
  if (queue.is_valid() && queue.index() >= of_queue_.size()) of_queue_.resize(queue.index() + 1, 0);
  if (queue.is_valid()) ++of_queue_[queue.index()];
  replace(queues_[node.index()], queue, for_queues_);
  touch();
}

std::vector<NodeId> NodeLocks::nodes_of(JobId target) const {
  return nodes_with(targets_, target, for_targets_);
}

std::vector<NodeId> NodeLocks::nodes_of(QueueId queue) const {
  return nodes_with(queues_, queue, for_queues_);
}

}  // namespace berth
