#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "berth/model/cluster.h"

namespace berth::engine {

// The operations of a session on the cluster, in order, and their undo. All changes of a session go
// through here; undo is data. Laws: a roll-back to a mark restores the cluster bit for bit, its
// stamp included. No task is placed unless its request is covered.
class Ledger {
 public:
  using Mark = std::size_t;

  explicit Ledger(Cluster& cluster) : cluster_(cluster) {}
  ~Ledger() { roll_back(0); }
  Ledger(const Ledger&) = delete;
  Ledger& operator=(const Ledger&) = delete;

  // Aborts unless the task is pending, the node's idle room covers its request, and the node is not
  // locked for another job or queue.
  void allocate(TaskId task, NodeId node);
  // The same with the room that will be idle once the leaving tasks are gone.
  void pipeline(TaskId task, NodeId node);
  // Marks a bound or running task as leaving.
  void evict(TaskId task);
  // Takes back an eviction of this session.
  void spare(TaskId task);
  // Gives back the room that the task got in this session.
  void withdraw(TaskId task);
  void set_phase(JobId job, GroupPhase phase);
  // Makes the job a target, or ends that.
  void set_election(JobId job, std::optional<Election> election);
  void set_lock(NodeId node, const Lock& lock);
  void set_queue_lock(NodeId node, const QueueLock& lock);

  Mark mark() const { return operations_.size(); }
  void roll_back(Mark mark);

  struct Operation {
    enum class Kind : std::uint8_t { task, phase, election, lock, queue_lock };
    Kind kind = Kind::task;
    TaskStatus status_before = TaskStatus::pending;
    TaskStatus status_after = TaskStatus::pending;
    GroupPhase phase_before = GroupPhase::pending;
    TaskId task;
    JobId job;           // of a task: its job
    NodeId node_before;  // of a lock: the node itself
    std::uint64_t stamp_before = 0;
    std::uint64_t version_before = 0;  // of the job
  };
  const std::vector<Operation>& operations() const { return operations_; }

  // Called for each task that gained or lost room, forwards and on undo. At most one of each.
  std::function<void(const Task&)> on_allocated;
  std::function<void(const Task&)> on_released;

 private:
  void move(TaskId task, NodeId node, TaskStatus status);
  Operation operation_on(Operation::Kind kind, JobId job) const;
  void undo(const Operation& operation);
  void notify(const Task& task, TaskStatus before, TaskStatus after) const;
  void require_room(TaskId task, NodeId node, bool future) const;

  Cluster& cluster_;
  std::vector<Operation> operations_;
  // The earlier values of elections and locks. Only few operations need one.
  std::vector<std::optional<Election>> elections_before_;
  std::vector<Lock> locks_before_;
  std::vector<QueueLock> queue_locks_before_;
};

}  // namespace berth::engine
