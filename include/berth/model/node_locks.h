#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "berth/base/clock.h"
#include "berth/base/strong_id.h"

namespace berth {

// The owner of each node's locks, as dense columns that the hot passes read. The Cluster keeps it
// as in Node::lock and Node::queue_lock.
class NodeLocks {
 public:
  // Opens all nodes.
  void reset(std::size_t nodes);
  void set_target(NodeId node, JobId target);
  void set_queue(NodeId node, QueueId queue);

  // Changes with targets and locks.
  std::uint64_t version() const { return version_; }
  void touch() { ++version_; }
  // When the nodes of queues were last chosen; none: never.
  std::optional<TimePoint> relocked_at() const { return relocked_at_; }
  void note_relocking(TimePoint at) { relocked_at_ = at; }

  JobId target(NodeId node) const { return targets_[node.index()]; }
  QueueId queue(NodeId node) const { return queues_[node.index()]; }
  // The target whose lock keeps pods of this job away. Invalid: none.
  JobId target_in_the_way(NodeId node, JobId job) const {
    const JobId owner = target(node);
    return owner == job ? JobId() : owner;
  }
  // Numbers of nodes.
  std::size_t for_targets() const { return for_targets_; }
  std::size_t for_queues() const { return for_queues_; }
  bool are_any() const { return for_targets_ + for_queues_ > 0; }
  bool has_nodes(QueueId queue) const {
    return queue.index() < of_queue_.size() && of_queue_[queue.index()] > 0;
  }
  // By id.
  std::vector<NodeId> nodes_of(JobId target) const;
  std::vector<NodeId> nodes_of(QueueId queue) const;

 private:
  std::vector<JobId> targets_;
  std::vector<QueueId> queues_;
  std::vector<std::size_t> of_queue_;  // numbers of nodes, by queue
  std::size_t for_targets_ = 0;
  std::size_t for_queues_ = 0;
  std::uint64_t version_ = 1;
  std::optional<TimePoint> relocked_at_;
};

}  // namespace berth
